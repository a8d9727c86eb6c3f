# tests of: wire
