# tests of: trace
