# tests of: convert
