noinst_LIBRARIES += replay/libreplay.a
replay_libreplay_a_SOURCES = \
	replay/tokens.c replay/tokens.h

# The simulated engine and tokserve.
replay_libreplay_a_SOURCES += \
	replay/engine.c replay/engine.h \
	replay/profile.c replay/profile.h \
	replay/seqs.c replay/seqs.h
dist_pkgdata_DATA = replay/profiles/h200-9b-bf16.profile
