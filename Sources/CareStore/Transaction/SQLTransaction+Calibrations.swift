import Care
import Foundation
import GRDB
import Motion

extension SQLTransaction {
  func calibrations() throws -> [SensorCalibration] {
    try reading {
      try rows("SELECT * FROM calibration ORDER BY address") { row in
        SensorCalibration(
          address: DeviceID(try row.text("address")),
          method: try row.parsed("method", SensorCalibration.Method.init(rawValue:)),
          calibration: AccelerometerCalibration(
            offset: try row.vector("offset"), scale: try row.vector("scale")),
          createdDate: try row.date("created_date"))
      }
    }
  }

  func setCalibration(_ calibration: SensorCalibration) throws {
    try changing {
      try requireStorable(calibration.address.text)
      let (offset, scale) = (calibration.calibration.offset, calibration.calibration.scale)
      try execute(
        """
        INSERT OR REPLACE INTO calibration (address, method, offset_x, offset_y, offset_z, scale_x,
          scale_y, scale_z, created_date)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [
          calibration.address.text, calibration.method.rawValue, offset.x, offset.y, offset.z,
          scale.x,
          scale.y, scale.z, calibration.createdDate.microseconds,
        ])
      try noteCalibrationChange()
    }
  }

  func deleteCalibration(of sensor: DeviceID) throws {
    try changing {
      let changesBefore = db.totalChangesCount
      try execute("DELETE FROM calibration WHERE address = ?", [sensor.text])
      guard db.totalChangesCount != changesBefore else {
        throw StoreError.unknown("The sensor ‘\(sensor)’ has no calibration.")
      }
      try noteCalibrationChange()
    }
  }

  /// Lets those who read the plan once look at it again.
  private func noteCalibrationChange() throws {
    try execute("UPDATE store SET plan_revision = plan_revision + 1")
  }
}

extension Row {
  /// The three columns of a vector.
  fileprivate func vector(_ name: String) throws -> Vector3 {
    Vector3(
      x: try required(name + "_x"), y: try required(name + "_y"), z: try required(name + "_z"))
  }
}
