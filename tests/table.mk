# tests of: table
