import Care
import Foundation
import GATT
import Radio
import TestSupport
import Testing

/// How real devices behave, as people have told of other programs, and what must be stored.
@Suite struct ReportedBehaviourTests {
  struct Behaviour: Sendable, CustomTestStringConvertible {
    var name: String
    var plan = Plans.john(expects: "72 kg")
    /// The traffic that each start of the program receives.
    var runs: [[TimedEvent]]
    /// The stored measurements: quantity, value, owner, day and time.
    var stored: [String]
    var testDescription: String { name }
  }

  // MARK: Frames

  private static let morning = time("2026-11-20T07:10:00-08:00")
  private static let zone = TimeZone(identifier: "America/Los_Angeles") ?? .gmt

  private static func at(_ seconds: Double) -> Date { morning + seconds }

  /// A Mi Scale 2 whose clock shows `clock`, on 20 November if that has no day.
  private static func mi(
    _ kilograms: Double, _ clock: String, impedance: Int? = nil, isStable: Bool = true,
    isRemoved: Bool = false, at seconds: Double
  ) -> TimedEvent {
    let frame = MiFrame(
      kilograms: kilograms, clock: clock.contains("T") ? clock : "2026-11-20T" + clock,
      impedance: impedance, isStable: isStable, isRemoved: isRemoved)
    return .mi(frame, at: at(seconds))
  }

  /// A record of that scale's memory.
  private static func record(
    _ kilograms: Double, _ clock: String, at arrival: String
  ) -> TimedEvent {
    .history(
      MiFrame(kilograms: kilograms, clock: clock).payload, service: 0x181B, at: time(arrival))
  }

  private static let chipsea = DeviceAddress(rawValue: 0xB456_5D00_0001)

  /// A broadcast of a scale without a clock, with a counter that changes by itself.
  private static func chipsea(
    _ hundredths: Int, isStable: Bool = true, counter: UInt8 = 0x45, at seconds: Double
  ) -> TimedEvent {
    let weight = [UInt8(hundredths >> 8), UInt8(hundredths & 255)]
    let data =
      [0x10, 0xFF, 0xC0, counter] + weight + [0x17, 0x70, 0x0A, 0x01, isStable ? 0x25 : 0x24]
      + bytes("b4565d000001")
    return TimedEvent(
      time: at(seconds),
      event: .advertisement(
        Advertisement(address: chipsea, addressType: .public, rssi: -60, data: data)))
  }

  private static let john = #"  - {address: "\#(DeviceAddress.scale)", patient: john, definition: "#

  private static func bound(_ definition: String, expects: String? = "72 kg") -> String {
    Plans.john(expects: expects, devices: john + definition + "}")
  }

  private static func beat(_ frame: String, at seconds: Double) -> TimedEvent {
    .value(0x2A37, of: 0x180D, frame, from: .strap, at: at(seconds))
  }

  private static func cuff(_ frame: String, at seconds: Double) -> TimedEvent {
    .value(0x2A35, of: 0x1810, frame, from: .scale, at: at(seconds))
  }

  private static func weight(_ frame: String, at seconds: Double) -> TimedEvent {
    .value(0x2A9D, of: 0x181D, frame, from: .scale, at: at(seconds))
  }

  private static func temperature(_ frame: String, at seconds: Double) -> TimedEvent {
    .value(0x2A1C, of: 0x1809, frame, from: .scale, at: at(seconds))
  }

  /// A weighing of a QN scale under a name that its maker does not use.
  private static let renamed = [
    TimedEvent(
      time: at(0),
      event: .advertisement(
        Advertisement(
          address: .scale, addressType: .public, rssi: -60, data: bytes("0909 4e65774e616d6531")))),
    TimedEvent.value(
      0xFFF1, of: 0xFFF0, "100eff0102214d0000000000008e", from: .scale, at: at(1)),
  ]

  // MARK: Behaviours

  private static let broadcasts = [
    Behaviour(
      name: "a scale repeats its last frame for twenty minutes",
      runs: [(0..<240).map { mi(72.3, "07:09:58", at: Double($0) * 5) }],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "the program is started anew meanwhile",
      runs: [
        [mi(72.3, "07:09:58", at: 0)],
        [mi(72.3, "07:09:58", at: 300), mi(72.3, "07:09:58", isRemoved: true, at: 305)],
      ],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "the same with a clock that was never set",
      runs: [
        [mi(72.3, "1970-01-03T19:26:19", at: 0)], [mi(72.3, "1970-01-03T19:26:19", at: 3_600)],
      ],
      stored: ["bodyMass 72.3 john 20 07:10:00"]),
    Behaviour(
      name: "two people a minute apart", plan: Plans.couple("80 kg", "60 kg"),
      runs: [[mi(80, "07:09:58", at: 0), mi(60, "07:10:58", at: 60)]],
      stored: ["bodyMass 80.0 john 20 07:09:58", "bodyMass 60.0 mary 20 07:10:58"]),
    Behaviour(
      name: "two people five seconds apart", plan: Plans.couple("80 kg", "60 kg"),
      runs: [
        [
          mi(80, "07:09:58", at: 0), mi(80, "07:09:58", isRemoved: true, at: 2),
          mi(60, "07:10:03", at: 5), mi(60, "07:10:03", isRemoved: true, at: 8),
        ]
      ],
      stored: ["bodyMass 80.0 john 20 07:09:58", "bodyMass 60.0 mary 20 07:10:03"]),
    Behaviour(
      name: "somebody in shoes",
      runs: [[mi(72.3, "07:09:58", at: 0), mi(72.3, "07:09:58", isRemoved: true, at: 20)]],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "an impedance that could not be measured",
      runs: [[mi(72.3, "07:09:58", impedance: 0xFFFD, at: 0)]],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "the unit's key is pressed between two weighings",
      runs: [
        [
          mi(72.3, "07:09:58", at: 0),
          // 160.88 lb, by a scale of the first version.
          .serviceData(0x181D, bytes("23d83eea070b14071430"), from: .otherScale, at: at(640)),
          // 144.6 jin.
          .serviceData(0x181D, bytes("327c38ea070b14071e00"), from: .otherScale, at: at(1_200)),
        ]
      ],
      stored: [
        "bodyMass 72.3 john 20 07:09:58", "bodyMass 72.9739 john 20 07:20:48",
        "bodyMass 72.3 john 20 07:30:00",
      ]),
    Behaviour(
      name: "a silence of two minutes within a weighing",
      runs: [
        [
          mi(72.3, "07:09:58", isStable: false, at: 0), mi(72.3, "07:09:58", at: 130),
          mi(72.3, "07:09:58", at: 131),
        ]
      ],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "two adapters hear one scale",
      runs: [
        [
          mi(72.3, "07:09:58", at: 0), mi(72.3, "07:09:58", at: 0),
          mi(72.3, "07:09:58", impedance: 500, at: 1), mi(72.3, "07:09:58", impedance: 500, at: 1),
        ]
      ],
      stored: ["bodyMass 72.3 john 20 07:09:58", "impedance 500.0 john 20 07:09:58"]),
    Behaviour(
      name: "a scale without a clock repeats its last frame",
      plan: Plans.john(expects: "75 kg"),
      runs: [(0..<120).map { chipsea(7_545, at: Double($0) * 10) }],
      stored: ["bodyMass 75.45 john 20 07:10:00"]),
    Behaviour(
      name: "two people in six seconds on a scale without a clock",
      plan: Plans.couple("80 kg", "60 kg"),
      runs: [
        [chipsea(8_010, at: 0), chipsea(3_000, isStable: false, at: 3), chipsea(6_020, at: 6)]
      ],
      stored: ["bodyMass 80.1 john 20 07:10:00", "bodyMass 60.2 mary 20 07:10:06"]),
    Behaviour(
      name: "two people of one weight, without a sign between them",
      plan: Plans.john(expects: "75 kg"),
      runs: [[chipsea(7_545, at: 0), chipsea(7_545, counter: 0x46, at: 300)]],
      stored: ["bodyMass 75.45 john 20 07:10:00"]),
    Behaviour(
      name: "two people of one weight, with an empty scale between them",
      plan: Plans.john(expects: "75 kg"),
      runs: [
        [
          chipsea(7_545, at: 0), chipsea(0, isStable: false, counter: 0x46, at: 290),
          chipsea(3_100, isStable: false, counter: 0x47, at: 295),
          chipsea(7_545, counter: 0x48, at: 300),
        ]
      ],
      stored: ["bodyMass 75.45 john 20 07:10:00", "bodyMass 75.45 john 20 07:15:00"]),
  ]

  private static let clocks = [
    Behaviour(
      name: "a clock that is two hours behind", runs: [[mi(72.3, "05:10:00", at: 0)]],
      stored: ["bodyMass 72.3 john 20 07:10:00"]),
    Behaviour(
      name: "the memory of a clock that is two hours behind",
      runs: [
        [
          mi(72.3, "05:10:00", at: 0),
          record(72.8, "2026-11-19T05:05:00", at: "2026-11-20T07:10:40-08:00"),
        ]
      ],
      stored: ["bodyMass 72.8 john 19 07:05:00", "bodyMass 72.3 john 20 07:10:00"]),
    Behaviour(
      name: "the memory of a clock that was never set",
      runs: [
        [
          mi(72.3, "1970-01-04T00:00:00", at: 0),
          record(72.8, "1970-01-03T00:00:00", at: "2026-11-20T07:10:40-08:00"),
        ]
      ],
      stored: ["bodyMass 72.8 john 19 07:10:00", "bodyMass 72.3 john 20 07:10:00"]),
    Behaviour(
      name: "a weighing that was heard comes as a record, too",
      runs: [
        [
          mi(72.3, "07:09:58", at: 0),
          record(72.3, "2026-11-20T07:09:58", at: "2026-11-20T07:10:40-08:00"),
        ]
      ],
      stored: ["bodyMass 72.3 john 20 07:09:58"]),
    Behaviour(
      name: "records from both sides of a change of clocks", plan: bound("xiaomi-mi-scale-2"),
      runs: [
        [
          record(72.1, "2026-10-31T07:05:00", at: "2026-11-02T08:00:00-08:00"),
          record(72.2, "2026-11-01T07:06:00", at: "2026-11-02T08:00:00-08:00"),
          record(72.3, "2026-11-02T07:07:00", at: "2026-11-02T08:00:00-08:00"),
        ],
        [
          record(72.4, "2027-03-13T07:05:00", at: "2027-03-15T08:00:00-07:00"),
          record(72.5, "2027-03-14T07:06:00", at: "2027-03-15T08:00:00-07:00"),
        ],
      ],
      stored: [
        "bodyMass 72.1 john 31 07:05:00", "bodyMass 72.2 john 1 07:06:00",
        "bodyMass 72.3 john 2 07:07:00", "bodyMass 72.4 john 13 07:05:00",
        "bodyMass 72.5 john 14 07:06:00",
      ]),
    Behaviour(
      name: "a record of the future", plan: bound("xiaomi-mi-scale-2"),
      runs: [[record(72.3, "2027-11-20T07:00:00", at: "2026-11-20T07:10:40-08:00")]],
      stored: ["bodyMass 72.3 john 20 07:10:40"]),
    Behaviour(
      name: "records that come joined, and again", plan: bound("xiaomi-mi-scale-1"),
      runs: [
        [
          .history(
            bytes("628c38ea070b13070500 622838ea070b14070600"), service: 0x181D, at: at(40)),
          .history(
            bytes("628c38ea070b13070500 622838ea070b14070600"), service: 0x181D, at: at(60)),
          .history(bytes("622838ea070b14070600"), service: 0x181D, at: at(80)),
        ]
      ],
      stored: ["bodyMass 72.38 john 19 07:05:00", "bodyMass 71.88 john 20 07:06:00"]),
  ]

  private static let links = [
    Behaviour(
      name: "a strap that is taken off sends its last rate",
      runs: [[beat("0648", at: 0), beat("0448", at: 1), beat("0448", at: 2)]],
      stored: ["heartRate 72.0 john 20 07:10:00"]),
    Behaviour(
      name: "a battery is no pulse",
      runs: [
        [
          beat("0648", at: 0),
          .value(0x2A19, of: 0x180F, "37", from: .strap, at: at(1)),
        ]
      ],
      stored: ["heartRate 72.0 john 20 07:10:00", "batteryLevel 55.0 john 20 07:10:01"]),
    Behaviour(
      name: "a rate of none, of what can be, and of what cannot",
      runs: [[beat("0600", at: 0), beat("06ff", at: 1), beat("072c01", at: 2)]],
      stored: ["heartRate 255.0 john 20 07:10:01", "heartRate 300.0 nobody 20 07:10:02"]),
    Behaviour(
      name: "a cuff sends the old measurement again", plan: bound("sig-blood-pressure"),
      runs: [
        [
          cuff("02780050005d00ea070b14070500", at: 0),
          cuff("02780050005d00ea070b14070500", at: 20),
        ], [cuff("02780050005d00ea070b14070500", at: 7_200)],
      ],
      stored: [
        "bloodPressureSystolic 120.0 john 20 07:05:00",
        "bloodPressureDiastolic 80.0 john 20 07:05:00",
        "bloodPressureMean 93.0 john 20 07:05:00",
      ]),
    Behaviour(
      name: "two measurements in a minute", plan: bound("sig-blood-pressure"),
      runs: [
        [
          cuff("02780050005d00ea070b14070500", at: 0),
          cuff("027a0051005e00ea070b14070500", at: 20),
        ]
      ],
      stored: [
        "bloodPressureSystolic 120.0 john 20 07:05:00",
        "bloodPressureDiastolic 80.0 john 20 07:05:00",
        "bloodPressureMean 93.0 john 20 07:05:00",
        "bloodPressureSystolic 122.0 john 20 07:05:00",
        "bloodPressureDiastolic 81.0 john 20 07:05:00",
        "bloodPressureMean 94.0 john 20 07:05:00",
      ]),
    Behaviour(
      name: "two measurements of a cuff without a clock", plan: bound("sig-blood-pressure"),
      runs: [[cuff("00780050005d00", at: 0), cuff("00780050005d00", at: 60)]],
      stored: [
        "bloodPressureSystolic 120.0 john 20 07:10:00",
        "bloodPressureDiastolic 80.0 john 20 07:10:00",
        "bloodPressureMean 93.0 john 20 07:10:00",
        "bloodPressureSystolic 120.0 john 20 07:11:00",
        "bloodPressureDiastolic 80.0 john 20 07:11:00",
        "bloodPressureMean 93.0 john 20 07:11:00",
      ]),
    // 16.0 over 10.6 kPa, and no mean.
    Behaviour(
      name: "a cuff in kPa", plan: bound("sig-blood-pressure"),
      runs: [[cuff("01a0f06af0ff07", at: 0)]],
      stored: [
        "bloodPressureSystolic 120.0102 john 20 07:10:00",
        "bloodPressureDiastolic 79.5068 john 20 07:10:00",
      ]),
    Behaviour(
      name: "a meter with a new bond sends its memory again",
      plan: bound("sig-glucose"),
      runs: [
        [
          .value(
            0x2A18, of: 0x1808, "030f00ea070b140705000000 6fb0f8", from: .scale, at: at(0))
        ],
        [
          TimedEvent(time: at(3_590), event: .bondChanged(.scale)),
          .value(
            0x2A18, of: 0x1808, "030f00ea070b140705000000 6fb0f8", from: .scale, at: at(3_600)),
        ],
      ],
      stored: ["bloodGlucoseMass 111.0 john 20 07:05:00"]),
    // 98.6 °F, and none.
    Behaviour(
      name: "a thermometer in °F, and one without a value", plan: bound("sig-thermometer"),
      runs: [[temperature("01da0300ff", at: 0), temperature("00ffff7f00", at: 60)]],
      stored: ["bodyTemperature 37.0 john 20 07:10:00"]),
    // 159.4 lb, and an unsuccessful one.
    Behaviour(
      name: "a scale in lb, and one without a result", plan: bound("sig-weight-scale"),
      runs: [[weight("01443e", at: 0), weight("00ffff", at: 60)]],
      stored: ["bodyMass 72.3026 john 20 07:10:00"]),
    Behaviour(
      name: "a frame that is cut in two", plan: bound("sig-weight-scale"),
      runs: [[weight("02783eea07050c12", at: 0), weight("3536", at: 1)]],
      stored: []),
    Behaviour(
      name: "a scale that the plan knows has another name",
      plan: bound("qn-scale", expects: "85 kg"), runs: [renamed],
      stored: ["bodyMass 85.25 john 20 07:10:01"]),
    Behaviour(
      name: "a scale that nobody knows has another name", plan: Plans.john(expects: "85 kg"),
      runs: [renamed], stored: []),
    // No scale that does so is known.
    Behaviour(
      name: "a scale of the standard that indicates while it settles",
      plan: bound("sig-weight-scale", expects: nil),
      runs: [
        [0x0FA0, 0x2EE0, 0x3D86, 0x3D86].enumerated().map { index, value in
          weight("00" + hex(pair(value)), at: Double(index))
        }
      ],
      stored: [
        "bodyMass 20.0 john 20 07:10:00", "bodyMass 60.0 john 20 07:10:01",
        "bodyMass 78.75 john 20 07:10:02", "bodyMass 78.75 john 20 07:10:03",
      ]),
  ]

  @Test(arguments: broadcasts + clocks + links)
  func `stores what was measured`(behaviour: Behaviour) async throws {
    let bench = try await Bench(behaviour.plan)
    for run in behaviour.runs { try await bench.play(run) }
    let stored = try await bench.samples().map { sample in
      let local = LocalDateTime(sample.start, in: Self.zone)
      let clock = [local.hour, local.minute, local.second]
        .map { ($0 < 10 ? "0" : "") + "\($0)" }.joined(separator: ":")
      let value = (sample.value * 1e4).rounded() / 1e4
      return
        "\(sample.quantity.rawValue) \(value) \(sample.patient ?? "nobody") \(local.day) \(clock)"
    }
    #expect(stored.sorted() == behaviour.stored.sorted(), "\(stored)")
  }
}

extension TimedEvent {
  /// A value of the characteristic in which Xiaomi's scales send their memory.
  fileprivate static func history(
    _ data: [UInt8], service: UInt16, at time: Date
  ) -> TimedEvent {
    let characteristic = BluetoothUUID("00002a2f-0000-3512-2118-0009af100700")
    return TimedEvent(
      time: time,
      event: .value(
        CharacteristicValue(
          address: .scale, service: BluetoothUUID(service),
          characteristic: characteristic ?? BluetoothUUID(0x2A2F), data: data)))
  }
}
