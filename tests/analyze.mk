# tests of: analyze
