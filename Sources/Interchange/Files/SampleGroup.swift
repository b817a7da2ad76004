import Care
import Foundation

/// Values of one device, person and moment: a weight with its companions, two pressures.
struct SampleGroup: Hashable {
  /// The moment.
  var start: Date
  /// The values; of two of one quantity the one that stands later in the list.
  var samples: [Quantity: Sample]

  /// The single values of a list in groups, in the order of their moments.
  ///
  /// Values of streams are in none.
  static func groups(of samples: [Sample]) -> [SampleGroup] {
    struct Key: Hashable {
      var patient: String?
      var device: DeviceID
      var start: Date
    }
    var places: [Key: Int] = [:]
    var groups: [SampleGroup] = []
    for sample in samples where !sample.reading.isStreamed {
      let key = Key(patient: sample.patient, device: sample.device.address, start: sample.start)
      let place = places[key, default: groups.count]
      if place == groups.count { groups.append(SampleGroup(start: sample.start, samples: [:])) }
      places[key] = place
      groups[place].samples[sample.quantity] = sample
    }
    return groups.sorted { $0.start < $1.start }
  }

  /// The value of a quantity, in its own unit.
  subscript(_ quantity: Quantity) -> Double? { samples[quantity]?.value }
}
