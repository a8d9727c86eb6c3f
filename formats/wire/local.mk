formats_libformats_a_SOURCES += \
	formats/wire/api.c formats/wire/api.h \
	formats/wire/ask.c \
	formats/wire/chat.c \
	formats/wire/chunk.c formats/wire/chunk.h \
	formats/wire/completions.c \
	formats/wire/emit.c \
	formats/wire/event.c formats/wire/event.h \
	formats/wire/fault.c formats/wire/fault.h \
	formats/wire/frames.c formats/wire/frames.h \
	formats/wire/messages.c \
	formats/wire/ollama.c \
	formats/wire/openai.c \
	formats/wire/protocol.h \
	formats/wire/responses.c \
	formats/wire/scan.c formats/wire/scan.h \
	formats/wire/sse.c formats/wire/sse.h
