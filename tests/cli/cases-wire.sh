#!/bin/sh
# Cases D01-D05, D07, D08: what stands in a stream.
. "$top_srcdir/tests/cli/cases.sh"

# D01: the first chunk may carry no token.
for first in '60 D {"role":"assistant","content":""}' '60 D {"role":"assistant","content":null}' \
	'60 D {"role":"assistant"}' 'several'; do
	echo request
	test "$first" = several && first='60 D {"role":"assistant","content":""}
100 T ""
200 T ""
300 T ""'
	printf '%s\n' "$first" '310 T "Red"' '330 T " fox"' '350 T " ran"' '351 F "stop"' '352 U 9 3 | DONE'
done >d01
d01() {
	play d01 -n 4 || return 1
	for i in 1 2 3 4; do
		"$expect" req.jsonl $i 'status="ok"' ttft_ms~310 first_answer_ms~310 last_ms~350 e2e_ms~350 \
			output_tokens=3 output_tokens_estimated=false token_events=3 gaps_ms~'[20,20]' \
			tpot_ms~20@7 'text="Red fox ran"' 'finish_reason="stop"' input_tokens=9 || return 1
	done
}
live 'D01 A-D: role, null and empty chunks carry no token' d01
cat >d01e <<'END'
request
60 D {"role":"assistant","content":""}
61 D1 {"role":"assistant","content":""}
310 D1 {"content":"No"}
318 T "Yes"
338 T "."
350 D1 {"content":"pe"}
370 D1 {"content":"."}
371 F "stop"
372 F1 "stop"
373 U 9 5 | DONE
END
d01e() {
	play d01e -n 1 && "$expect" req.jsonl 1 'status="ok"' ttft_ms~310 last_ms~370 output_tokens=5 \
		token_events=5 gaps_ms~'[[20],[40,20]]'
}
live 'D01 E: two choices, each with its own gaps' d01e

# D02: reasoning is tokens, but no answer.
for key in reasoning reasoning_content; do
	echo request
	printf '%s\n' '120 D {"role":"assistant","content":""}' "420 D {\"$key\":\"Let\"}" \
		"440 D {\"$key\":\" me\"}" "460 D {\"$key\":\" see\"}" "480 D {\"$key\":\".\"}" \
		'500 T "42"' '520 T "."' '521 F "stop"' \
		'522 U 12 6 "completion_tokens_details":{"reasoning_tokens":4} | DONE'
done >d02
cat >>d02 <<'END'
request
120 D {"role":"assistant","content":""}
420 D {"content":null,"reasoning_content":"Let"}
440 D {"content":null,"reasoning_content":" me"}
460 D {"content":null,"reasoning_content":" see"}
480 D {"content":null,"reasoning_content":"."}
500 D {"content":"42","reasoning_content":null}
520 D {"content":".","reasoning_content":null}
521 F "stop"
522 U 12 6 "completion_tokens_details":{"reasoning_tokens":4} | DONE
request
120 D {"role":"assistant","content":""}
420 D {"reasoning":"Let"}
440 D {"reasoning":" me"}
460 D {"reasoning":" see"}
480 D {"reasoning":"."}
481 F "length"
482 U 12 4 | DONE
END
d02() {
	play d02 -n 4 || return 1
	for i in 1 2 3; do
		"$expect" req.jsonl $i 'status="ok"' ttft_ms~420 first_answer_ms~500 last_ms~520 output_tokens=6 \
			reasoning_tokens=4 tpot_ms~20@4 'text="42."' 'reasoning="Let me see."' || return 1
	done
	"$expect" req.jsonl 4 'status="ok"' 'finish_reason="length"' ttft_ms~420 first_answer_ms=null \
		output_tokens=4 tpot_ms~20@6 'reasoning="Let me see."'
}
live 'D02 A-D: reasoning before the answer, or alone' d02

# D03: usage.
tail_a='320 U 7 3'
tail_b='320 raw data: {"id":"r","object":"chat.completion.chunk","created":1900000000,"model":"m","usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}\n\n'
tail_c='320 U 7 3 "prompt_tokens_details":null'
for usage in "$tail_a" "$tail_b" "$tail_c"; do
	printf '%s\n' request '100 T "a" + "usage":null' '120 T "b" + "usage":null' \
		'140 T "c" + "usage":null' '141 F "stop" + "usage":null' "$usage" '321 DONE'
done >d03
d03() {
	play d03 -n 3 || return 1
	for i in 1 2 3; do
		"$expect" req.jsonl $i 'status="ok"' last_ms~140 e2e_ms~140 duration_ms~321 output_tokens=3 \
			input_tokens=7 tpot_ms~20@7 token_events=3 output_tokens_estimated=false || return 1
	done
}
live 'D03 A-C: the usage chunk is no token and ends nothing' d03
cat >d03d <<'END'
request
100 T "a" + u 1
120 T "b c" + u 3
140 T " d" + "usage":null
160 T " e" + u 5
161 F "stop" + u 5
162 DONE
request
100 T "a"
120 T "b"
140 T "c"
190 F "stop" + "usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}
191 DONE
request
100 T "a" + u 1
120 T "b c" + u 3
140 T " d" + "usage":null
140 CUT
END
d03d() {
	play d03d -n 3 || return 1
	"$expect" req.jsonl 1 'status="ok"' output_tokens=5 tpot_ms~15@4 ttft_ms~100 last_ms~160 token_events=4 &&
		"$expect" req.jsonl 2 'status="ok"' output_tokens=3 last_ms~140 tpot_ms~20@7 token_events=3 &&
		"$expect" req.jsonl 3 'status="truncated"' output_tokens=3 token_events=3 'text="ab c d"'
}
live 'D03 D-F: usage in every chunk, cut off, or in the finish chunk' d03d

# D04: every legal framing.
cat >d04 <<'END'
request
200 raw data: | J "A" | raw \n\n
220 raw data:\x20 | J "B" | raw \r\n\r
260 raw \n
300 raw event: message\r\ndata: {"id":"r","object":"chat.completion.chunk","created":1900000000,\r\ndata: "model":"m","choices":[{"index":0,"delta":{"content":"C"},"finish_reason":null}]}\r\n\r\n
400 raw data:\x20 | J "D" | raw \n\r\ndata:\x20 | J "E" | raw \r\n\ndata:\x20 | J "F" | raw \n\n
420 raw data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\r\n\r\ndata:[DONE]\r\n\r\n
END
bytewise d04 >d04bytes
d04() {
	play d04 -n 1 && "$expect" req.jsonl 1 'status="ok"' 'text="ABCDEF"' token_events=6 ttft_ms~200 \
		gaps_ms~'[20,80,100,0,0]' output_tokens=6 output_tokens_estimated=true tpot_ms~40@5
}
live 'D04: line ends, no blank, several data lines' d04
d04b() {
	play d04bytes -n 1 && "$expect" req.jsonl 1 'status="ok"' 'text="ABCDEF"' token_events=6 output_tokens=6
}
live 'D04: every byte in its own send' d04b

# D05: comments and events without data; they keep an idle stream alive.
cat >d05 <<'END'
request
200 raw : OPENROUTER PROCESSING\n\n
400 raw :\n\n
500 raw retry: 3000\n\n
520 raw event: ping\ndata:\n\n
540 raw id: 7\n\n
600 T "Hi"
610 raw : ping\n
620 T "!"
621 F "stop" | DONE
END
bytewise d05 >d05bytes
d05() {
	play d05 -n 1 --idle-timeout 300ms && "$expect" req.jsonl 1 'status="ok"' 'error=null' token_events=2 ttft_ms~600 \
		tpot_ms~20 gaps_ms~'[20]' output_tokens=2 output_tokens_estimated=true 'text="Hi!"'
}
live 'D05: comments and empty events are no tokens, and re-arm the timeout' d05
d05b() {
	play d05bytes -n 1 --idle-timeout 300ms && "$expect" req.jsonl 1 'status="ok"' token_events=2 'text="Hi!"'
}
live 'D05: every byte in its own send' d05b
d05_kept() {
	play d05 -n 1 && tokconvert dump run.tok >dump && grep -q 'OPENROUTER PROCESSING' dump
}
check 'D05: comments stand in the trace' d05_kept

# D07: characters cut by the network.
cat >d07 <<'END'
request
100 raw data: {"choices":[{"index":0,"delta":{"content":"\xE4
150 raw \xBD\xA0"},"finish_reason":null}]}\n\n
200 raw data: {"choices":[{"index":0,"delta":{"content":"\xF0\x9F
230 raw \x99\x82"},"finish_reason":null}]}\n\n
231 F "stop" | DONE
request
100 raw data: {"choices":[{"index":0,"delta":{"content":"\x61\xE2\x80\xA8\x62\xC2\x85\x63"},"finish_reason":null}]}\n\n
101 F "stop" | DONE
request
100 T "\ufffd"
101 F "stop" | DONE
request
100 T "a\ud83d"
101 F "stop" | DONE
END
bytewise d07 >d07bytes
d07_texts() {
	"$expect" req.jsonl 1 'status="ok"' 'text="\u4f60\ud83d\ude42"' token_events=2 &&
		"$expect" req.jsonl 2 'status="ok"' 'text="a\u2028b\u0085c"' token_events=1 &&
		"$expect" req.jsonl 3 'status="ok"' 'text="\ufffd"' token_events=1 'error=null' &&
		"$expect" req.jsonl 4 'status="ok"' token_events=1
}
d07() {
	play d07 -n 4 && d07_texts && "$expect" req.jsonl 1 ttft_ms~150 gaps_ms~'[80]'
}
live 'D07: cut characters are whole again' d07
d07b() { play d07bytes -n 4 && d07_texts; }
live 'D07: every byte in its own send' d07b

# D08: tool calls only.
cat >d08 <<'END'
request
80 D {"role":"assistant","content":null}
250 D {"tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"get_time","arguments":""}}]}
270 D {"tool_calls":[{"index":0,"function":{"arguments":"{\"tz\":"}}]}
290 D {"tool_calls":[{"index":0,"function":{"arguments":"\"UTC\"}"}}]}
291 F "tool_calls"
292 U 40 12 | DONE
request
200 T "Ok" + u 1
320 D {"tool_calls":[{"index":0,"id":"k1","type":"function","function":{"name":"f","arguments":"{"}}]} + u 13
440 D {"tool_calls":[{"index":0,"function":{"arguments":"}"}}]} + u 25
441 F "tool_calls" | DONE
request
200 D {"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":"{\"x\":1"}}]}
220 D {"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}
221 F "tool_calls" | U 40 12 | DONE
END
bytewise d08 >d08bytes
d08_calls() {
	"$expect" req.jsonl 1 'status="ok"' first_answer_ms=null output_tokens=12 \
		'tool_calls.0.name="get_time"' 'tool_calls.0.arguments="{\"tz\":\"UTC\"}"' 'tool_calls.0.id="k1"' &&
		"$expect" req.jsonl 2 'status="ok"' output_tokens=25 token_events=3 'text="Ok"' &&
		"$expect" req.jsonl 3 'status="ok"' token_events=2 'tool_calls.0.name="f"' 'tool_calls.0.arguments="{}"' \
			'tool_calls.1.name="g"' 'tool_calls.1.arguments="{\"x\":1}"'
}
d08() {
	play d08 -n 3 && d08_calls || return 1
	"$expect" req.jsonl 1 ttft_ms~250 last_ms~290 gaps_ms~'[20,20]' tpot_ms~3.636@1.4 &&
		"$expect" req.jsonl 2 tpot_ms~10@0.7 gaps_ms~'[120,120]'
}
live 'D08 A-C: tool calls are tokens, joined by index' d08
d08b() { play d08bytes -n 3 && d08_calls; }
live 'D08: every byte in its own send' d08b
done_testing
