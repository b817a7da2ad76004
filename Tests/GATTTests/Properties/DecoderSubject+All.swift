@testable import GATT

extension DecoderSubject {
  /// Every decoder of the module.
  static let all: [DecoderSubject] = [
    DecoderSubject(BatteryLevel.self, frames: ["39"]),
    DecoderSubject(DateTime.self, frames: ["e607020e10293a"]),
    DecoderSubject(CurrentTime.self, frames: ["ea07060c143008000001", "ea070b1407093a05800a"]) {
      _, bytes in bytes[7] <= 7
    },
    DecoderSubject(
      WeightMeasurement.self,
      frames: [
        "0e783eea07050c12353601ee002607", "01de44", "04783e02", "02783eea07050c123536",
        "08783eee002607", "00ffff",
      ]
    ) { value, bytes in
      bytes[0] & 0xF0 == 0 && isKept(value.userIndex, bytes[0] & 1 << 2)
    },
    DecoderSubject(WeightScaleFeature.self, frames: ["07000000"]),
    DecoderSubject(
      BodyCompositionMeasurement.self,
      frames: [
        "9803c200df1a9701cc2fca21a811", "0104c800de44",
        "ff1fc200ea07050c12353602010002000300040005000600070008000900",
      ]
    ) { value, bytes in
      // Counts of 0 and 0xFFFF are dropped, so that fewer are kept than were announced.
      let flags = UInt16(bytes[1]) << 8 | UInt16(bytes[0])
      let announced = 1 + (flags >> 3 & 0x1FF).nonzeroBitCount
      return flags & 0xE000 == 0 && value.counts.count == announced
        && isKept(value.userIndex, bytes[0] & 1 << 2)
    },
    DecoderSubject(
      HeartRateMeasurement.self,
      frames: ["0048", "1f2c01ffffcd00ce00", "163c0004ff030104", "0400", "0848e803"],
      endsInList: true
    ) { value, bytes in
      let isWide = bytes[0] & 1 << 0 != 0
      let announcesIntervals = bytes[0] & 1 << 4 != 0
      return bytes[0] & 0xE0 == 0 && bytes[0] & 0b110 != 0b010
        && isWide == (value.rawRate > 255) && announcesIntervals == !value.rrIntervals.isEmpty
    },
    DecoderSubject(
      BloodPressureMeasurement.self,
      frames: ["1e780050005d00ea07060c1430084200010500", "01a0f06bf07cf0", "008c00ff07ff07"]
    ) { value, bytes in
      bytes[0] & 0xE0 == 0 && isKept(value.userIndex, bytes[0] & 1 << 3)
    },
    DecoderSubject(
      TemperatureMeasurement.self, frames: ["066e0100ffea07060c14300803", "01da0300ff"]
    ) { _, bytes in bytes[0] & 0xF8 == 0 },
    DecoderSubject(
      PLXSpotCheckMeasurement.self,
      frames: ["1f61004800ea07060c143008800120080019f0", "00cff3f207"]
    ) { _, bytes in bytes[0] & 0xE0 == 0 },
    DecoderSubject(
      PLXContinuousMeasurement.self,
      frames: ["1f610048006000490062004700200002000019f0", "08ff07ff07000800"]
    ) { _, bytes in bytes[0] & 0xE0 == 0 },
    DecoderSubject(
      GlucoseMeasurement.self,
      frames: ["1b0500ea07060c143008c4ff5fb0110100", "060600ea07060c14300837c0f8"]
    ) { value, bytes in
      // The unit of a concentration that is not sent is of no consequence.
      bytes[0] & 0xE0 == 0 && (value.concentration != nil || bytes[0] & 1 << 2 == 0)
    },
    DecoderSubject(
      RecordAccessControlPoint.Request.self,
      frames: ["0101", "0103010500", "01040101002c01", "0201", "0300", "0401"]),
    DecoderSubject(RecordAccessControlPoint.Response.self, frames: ["05000c00", "06000106"]),
    DecoderSubject(
      UserControlPoint.Request.self, frames: ["0201d809", "010f27", "03", "04", "05ff"]),
    DecoderSubject(
      UserControlPoint.Response.self, frames: ["200201", "20010103"], endsInList: true),
  ]

  /// Whether a user is there if and only if it was announced; user 0xFF is dropped.
  private static func isKept(_ userIndex: UInt8?, _ flag: UInt8) -> Bool {
    (userIndex != nil) == (flag != 0)
  }
}
