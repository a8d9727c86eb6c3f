noinst_LIBRARIES += replay/libreplay.a
replay_libreplay_a_SOURCES = \
	replay/tokens.c replay/tokens.h
