# tests of: record
