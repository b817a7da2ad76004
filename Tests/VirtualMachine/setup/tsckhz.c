/* tsckhz: prints the frequency of this machine's time-stamp counter in kHz. An emulated guest reads the
 * same counter; calibrating it against an emulated timer goes wrong where the host is busy, and the
 * guest's clock then runs many times too fast. */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

static double seconds(void) {
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC_RAW, &now);
	return now.tv_sec + now.tv_nsec / 1e9;
}

/* Reads both clocks within the shortest of some tries: the process may be interrupted in between. */
static void read_both(double *time, unsigned long long *ticks) {
	double shortest = 1;
	for (int i = 0; i < 100; i++) {
		double before = seconds();
		unsigned long long now = __rdtsc();
		double after = seconds();
		if (after - before < shortest) {
			shortest = after - before;
			*time = (before + after) / 2;
			*ticks = now;
		}
	}
}

int main(void) {
	struct timespec pause = {0, 200000000};
	double begin = 0, end = 0;
	unsigned long long first = 0, last = 0;
	read_both(&begin, &first);
	nanosleep(&pause, 0);
	read_both(&end, &last);
	printf("%.0f\n", (last - first) / (end - begin) / 1000);
	return 0;
}
