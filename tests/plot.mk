# tests of: plot
