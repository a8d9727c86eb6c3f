# tests of: serve
