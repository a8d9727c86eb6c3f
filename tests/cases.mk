# tests of: cases
