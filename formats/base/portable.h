/*
 * log and exp made of +, -, * and / alone, which IEEE 754 rounds in one way: the same
 * bits on every machine, where the C library's may differ in the last one.  A plan whose
 * times come from random numbers is then one plan everywhere.  Built with
 * -ffp-contract=off, since a fused multiply-add rounds differently.
 */
#ifndef BASE_PORTABLE_H
#define BASE_PORTABLE_H

/* Natural logarithm, within 2 units in the last place; x > 0 and finite. */
double portable_log(double x);

/* e^x, within 4 units in the last place for |x| <= 700; 0 below, DBL_MAX above. */
double portable_exp(double x);

#endif
