import Foundation

/// The processor's time of this thread, in seconds: other tests run beside it.
package func processorTime() -> Double {
  var time = timespec()
  _ = unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
  return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
