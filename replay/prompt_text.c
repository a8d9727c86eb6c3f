#include <config.h>

#include "replay/prompt_text.h"

const char prompt_text[] =
	" The pump in the second hall feeds two loops, one for each row of racks."
	" Each loop has a valve, a filter and a flow meter, and the meter reports once a second."
	" When the flow falls below the limit, the controller opens the valve further and waits."
	" If the flow does not recover within ten seconds, an alarm is raised and the night"
	" shift walks to the hall with a lamp and a spare filter."
	" Most alarms come from dust, some from air in the pipe, and very few from the pump."
	" A log of the last year shows that filters were changed more often in spring,"
	" when the fields around the site are dry and the wind comes from the south."
	" The plan for this year is to put a coarse screen in front of the intake,"
	" and to measure whether the fine filters then last longer."
	" Two halls will get the screen and two will not, so that the effect can be compared."
	" Every change is written down with its date, the name of the person and the reason."
	" A second topic is the temperature of the water that leaves the racks."
	" Warm water is worth something, because the school across the road can use it for heating."
	" The contract asks for a steady supply during school hours and allows less at night."
	" To keep the supply steady, a tank stores warm water in the evening and gives it back"
	" in the morning, before the racks are busy again."
	" The tank was sized from measurements of one winter week, with a margin of one third."
	" In mild weather the margin is not needed, and the spare heat goes to the roof coolers."
	" Operators asked for one page that shows flow, temperature and the state of all valves."
	" The page should load quickly over a slow line and stay readable on a small screen."
	" It should also say how old each number is, since a stale number is worse than none."
	" The first version drew a chart for every sensor and was too slow to be useful."
	" The current version shows a table, with one line per loop and one chart on request."
	" Next, describe which measurements are missing, which of them would change a decision,"
	" and how you would check that the screen in front of the intake does what it should.";

const char *const prompt_words[PROMPT_WORDS] = {
	" river", " stone", " light", " paper", " green", " table", " north", " winter",
	" garden", " bridge", " market", " silver", " morning", " window", " letter", " summer",
	" road", " glass", " horse", " island", " music", " number", " ocean", " people",
	" quiet", " round", " school", " train", " valley", " water", " yellow", " zero",
	" apple", " bread", " cloud", " dance", " earth", " field", " gold", " house",
	" iron", " jacket", " kitchen", " lake", " moon", " needle", " orange", " pencil",
	" queen", " rain", " sand", " tower", " uncle", " village", " wheel", " year",
	" anchor", " basket", " candle", " desert", " engine", " forest", " harbor", " ladder",
};
