# tests of: replay
