import Care
import Foundation
import Testing

@testable import Interchange

/// Rows of files that the tests of other programs read.
///
/// The layouts' own samples follow the description that their readers follow, too; these do not. The values
/// are those of the rows. Where the other program makes something else of one, the case says it.
@Suite struct ForeignFilesTests {
  /// Some rows of a file, and how many values of which size it has.
  struct File: CustomTestStringConvertible, Sendable {
    /// The repository, and the file of its tests in which the rows stand.
    var source: String
    var kind: HistoryKind
    var text: String
    /// How many values are read.
    var count: Int
    /// Three of them: `time quantity value`.
    var says: [String]
    var skipped = 0

    var testDescription: String { source }
  }

  static let files: [File] = [
    File(
      source: "paufregi/GarminFeed: RenphoReaderTest.kt", kind: .renpho,
      text: """
        Time of Measurement,Weight(kg),BMI,Body Fat(%),Fat-Free Mass(kg),Subcutaneous Fat(%),Visceral Fat,Body Water(%),Skeletal Muscle(%),Muscle Mass(kg),Bone Mass(kg),Protein(%),BMR(kcal),Metabolic Age,Optimal weight(kg),Target to optimal weight(kg),Target to optimal fat mass(kg),Target to optimal muscle mass(kg),Body Type,Remarks
        2024-01-01 10:20:30,76.15,23.8,23.2,58.48,20.9,7.0,55.4,49.5,55.59,2.89,17.5,1618,35,,,,,,
        """, count: 9,
      says: [
        "2024-01-01T10:20:30 bodyMass 76.15", "2024-01-01T10:20:30 bodyFatPercentage 23.2~",
        "2024-01-01T10:20:30 boneMass 2.89~",
      ]),
    File(
      source: "vvp310792/Fitness_app: ZeppExportParserTest.kt", kind: .zeppLife,
      text: """
        \u{FEFF}time,weight,height,bmi,fatRate,bodyWaterRate,boneMass,metabolism,muscleRate,visceralFat
        2021-02-05 00:30:20+0000,77.1,182.0,23.2,20.7,54.3,3.1,1644.0,57.9,9.0
        2022-08-09 16:51:06+0000,80.0,182.0,24.2,null,null,null,null,null,null
        2026-09-05 01:43:58+0000,78.4,182.0,23.7,21.4,53.9,3.13,1600.0,58.3,10.0
        """, count: 21,
      says: [
        "2021-02-05T00:30:20Z bodyMass 77.1", "2022-08-09T16:51:06Z bodyMass 80",
        "2026-09-05T01:43:58Z muscleMass 58.3~",
      ]),
    File(
      source: "thusspokedata/pulsia: parseWeightCsv.test.ts", kind: .garmin,
      text: """
        Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,
        " Jul 18, 2026",
        8:28 AM,80.0 kg,0.5 kg,25.0,18.0 %,35.0 kg,3.5 kg,61.0 %,
        " Jul 15, 2026",
        9:46 AM,80.5 kg,0.5 kg,25.0,18.5 %,35.0 kg,3.5 kg,60.5 %,
        8:40 AM,81.0 kg,0.3 kg,25.2,19.5 %,35.5 kg,3.5 kg,60.0 %,
        """, count: 18,
      says: [
        "2026-07-18T08:28:00 bodyMass 80", "2026-07-15T09:46:00 bodyMass 80.5",
        "2026-07-15T08:40:00 bodyFatPercentage 19.5~",
      ]),
    // It takes no weighing of the third source, which it has by another way.
    File(
      source: "FloorLamp/allos: fitbit-takeout-import.test.ts", kind: .googleHealth,
      text: """
        timestamp,weight grams,data source
        2018-05-28T13:30:12Z,62400,Renpho Fitbit 3P Web API
        2026-07-25T10:12:44Z,64900,Renpho Fitbit 3P Web API
        2026-07-26T10:12:44Z,64000,Phone Health Connect
        """, count: 3,
      says: [
        "2018-05-28T13:30:12Z bodyMass 62.4", "2026-07-25T10:12:44Z bodyMass 64.9",
        "2026-07-26T10:12:44Z bodyMass 64",
      ]),
    File(
      source: "DemkivV/body-composition-tracking: test_muscle_mass_calculation.py",
      kind: .withings,
      text: """
        Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments
        "2022-01-20 06:54:22",85.00,13.00,3.50,70.50,49.00,
        "2022-01-19 06:54:22",84.50,12.80,3.45,70.25,48.80,
        """, count: 10,
      says: [
        "2022-01-20T06:54:22 bodyMass 85", "2022-01-19T06:54:22 bodyMass 84.5",
        "2022-01-19T06:54:22 boneMass 3.45~",
      ]),
    File(
      source: "adrianlafond/health: apple-to-health.spec.ts; "
        + "ZhannaM85/turtle-steps-to-the-goal: importAppleHealth.test.ts", kind: .appleHealth,
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_US">
         <Record type="HKQuantityTypeIdentifierHeight" sourceName="Health" sourceVersion="12.2" unit="ft" creationDate="2019-04-20 21:15:57 -0400" startDate="2019-04-20 21:15:57 -0400" endDate="2019-04-20 21:15:57 -0400" value="6"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Health" sourceVersion="16.5.1" unit="lb" creationDate="2023-07-23 10:35:40 -0400" startDate="2023-07-23 10:35:00 -0400" endDate="2023-07-23 10:35:00 -0400" value="200">
          <MetadataEntry key="HKWasUserEntered" value="1"/>
         </Record>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Health" unit="kg" creationDate="2026-01-15 12:00:00 +0000" startDate="2026-01-15 12:00:00 +0000" endDate="2026-01-15 12:00:00 +0000" value="61.4"/>
        </HealthData>
        """, count: 3,
      says: [
        "2019-04-21T01:15:57Z height 1.8288", "2023-07-23T14:35:00Z bodyMass 90.718474",
        "2026-01-15T12:00:00Z bodyMass 61.4",
      ]),
    // It takes the times as those of the zone beside them; programs differ in that, and these rows do not
    // tell which is right.
    File(
      source: "lentmiien/lentmiien-site: myLifeLogSamsungHealthImportService.test.js",
      kind: .samsungHealth,
      text: """
        com.samsung.health.weight,6320001,12
        start_time,time_offset,datauuid,weight,body_fat
        2026-06-19 23:00:00.000,UTC+0900,weight-1,75.4,17.0,
        2026-06-20 01:00:00.000,UTC+0900,weight-2,75.2,16.8,
        1970-01-01 00:00:00.000,UTC+0900,placeholder,74.0,16.0,
        """, count: 4,
      says: [
        "2026-06-19T23:00:00Z bodyMass 75.4", "2026-06-20T01:00:00Z bodyMass 75.2",
        "2026-06-20T01:00:00Z bodyFatPercentage 16.8~",
      ], skipped: 1),
    // A diastolic value alone is none here.
    File(
      source: "gabimarti/analitix: test_blood_pressure.py", kind: .omron,
      text: """
        Date,Time,Systolic (mmHg),Diastolic (mmHg),Pulse (bpm),Symptoms,Consumed,TruRead,Notes
        Jan 12 2025,08:15,128,82,64,-,-,Off,ok
        Jan 12 2025,21:00,abc,80,-,-,-,Off,
        """, count: 3,
      says: [
        "2025-01-12T08:15:00 bloodPressureSystolic 128",
        "2025-01-12T08:15:00 bloodPressureDiastolic 82", "2025-01-12T08:15:00 pulseRate 64",
      ], skipped: 1),
    // It takes "Low" for 39 and "High" for 401, which nobody measured.
    File(
      source: "rrrules3/glucose-trends: clarity_csv_importer_test.dart", kind: .clarity,
      text: """
        Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Event Subtype,Patient Info,Device Info,Source Device ID,Glucose Value (mg/dL),Insulin Value (u),Carb Value (grams),Duration (hh:mm:ss),Glucose Rate of Change (mg/dL/min),Transmitter Time (Long Integer),Transmitter ID
        1,,FirstName,,Alex,,,,,,,,,
        2,,LastName,,Rivera,,,,,,,,,
        4,2024-05-01T08:00:00,EGV,,,,G7 Sensor,112,,,,0.4,,ABC123
        5,2024-05-01T08:05:00,EGV,,,,G7 Sensor,Low,,,,-1.2,,ABC123
        6,2024-05-01T08:10:00,EGV,,,,G7 Sensor,High,,,,2.1,,ABC123
        7,2024-05-01T08:15:00,Carbs,,,,,,,45,,,,
        9,2024-05-01T08:25:00,EGV,,,,G7 Sensor,187,,,,0.1,,ABC123
        """, count: 2,
      says: [
        "2024-05-01T08:00:00 interstitialGlucose 112",
        "2024-05-01T08:25:00 interstitialGlucose 187",
      ], skipped: 3),
    File(
      source: "derdilla/blood-pressure-monitor-fl: import_preview_dialog_test.dart",
      kind: .bloodPressure,
      text: """
        timestampUnixMs,systolic,diastolic,pulse,notes,needlePin
        1703175193324,123,45,67,note1,"{""color"":4285132974}"
        1703147206000,114,71,56,,null
        """, count: 6,
      says: [
        "2023-12-21T16:13:13.324Z bloodPressureSystolic 123",
        "2023-12-21T16:13:13.324Z pulseRate 67",
        "2023-12-21T08:26:46Z bloodPressureDiastolic 71",
      ]),
    File(
      source: "kyleclaude1986-max/Command-center-lite-: gym/scripts/verify.ts",
      kind: .healthAutoExport,
      text: """
        {"data":{"workouts":[],"metrics":[{"name":"active_energy","units":"kcal","data":[{"date":"2026-08-10 09:00:00 -0500","qty":300},{"date":"2026-08-10 18:00:00 -0500","qty":412.4}]},{"name":"basal_energy_burned","units":"kcal","data":[{"date":"2026-08-10 23:59:00 -0500","qty":1810}]},{"name":"weight_body_mass","units":"lb","data":[{"date":"2026-08-10 06:10:00 -0500","qty":203.4},{"date":"2026-08-10 21:10:00 -0500","qty":205.1}]}]}}
        """, count: 2,
      says: [
        "2026-08-10T11:10:00Z bodyMass 92.26068806", "2026-08-11T02:10:00Z bodyMass 93.03179509",
      ], skipped: 2),
  ]

  /// The examples of the maker's own description, one after another in the frame that it describes.
  static let published: [File] = [
    File(
      source: "help.healthyapps.dev: Health Metrics - JSON Export Format", kind: .healthAutoExport,
      text: """
        {"data": {"metrics": [
        {
          "name": "step_count",
          "units": "count",
          "data": [
            {
              "qty": 8500,
              "date": "2024-02-06 14:30:00 -0800"
            }
          ]
        },
        {
          "name": "blood_pressure",
          "units": "mmHg",
          "data": [
            {
              "date": "2024-02-06 14:30:00 -0800",
              "systolic": 120,
              "diastolic": 80
            }
          ]
        },
        {
          "name": "heart_rate",
          "units": "bpm",
          "data": [
            {
              "date": "2024-02-06 14:30:00 -0800",
              "Min": 65,
              "Avg": 72,
              "Max": 85
            }
          ]
        }
        ]}}
        """, count: 3,
      says: [
        "2024-02-06T22:30:00Z stepCount 8500", "2024-02-06T22:30:00Z bloodPressureSystolic 120",
        "2024-02-06T22:30:00Z bloodPressureDiastolic 80",
      ], skipped: 1)
  ]

  static let answers: [File] = [
    File(
      source: "Futsch1/medTimer: CSVExportUnitTest.kt", kind: .medTimer,
      text: """
        Reminded;Name;Dosage;Taken;Tags;Interval;Notes;Reminded (ISO 8601);Taken (ISO 8601)
        5/3/21 2:00\u{202F}AM;Medicine 1;10mg;5/3/21 2:02\u{202F}AM;Tag1, Tag2;2:14;Notes;2021-05-03T00:00:00Z;2021-05-03T00:02:00Z
        5/3/21 2:30\u{202F}AM;Medicine 2;20mg;;;0:00;;2021-05-03T00:30:00Z;
        """, count: 1, says: ["2021-05-03T00:00:00Z Medicine 1 done 2021-05-03T00:02:00Z"],
      skipped: 1),
    // Its days of a 1 follow from the frequency.
    File(
      source: "iSoron/uhabits: assets/test/csv_export/Checkmarks.csv", kind: .loopHabits,
      text: """
        Date,Meditate,Wake up early,
        2015-01-25,-1,2,
        2015-01-24,-1,0,
        2015-01-23,-1,1,
        2015-01-22,-1,2,
        2015-01-21,-1,2,
        2015-01-20,-1,2,
        2015-01-19,-1,1,
        2015-01-18,-1,1,
        2015-01-17,-1,2,
        2015-01-16,-1,2,
        """, count: 6,
      says: [
        "2015-01-25 Wake up early done", "2015-01-20 Wake up early done",
        "2015-01-16 Wake up early done",
      ], skipped: 3),
  ]

  @Test(arguments: files + published + answers)
  func `what another program reads is read alike`(_ file: File) throws {
    let read = try HistorySamples.read(Array(file.text.utf8))
    #expect(read.kind == file.kind)
    #expect(read.says.count == file.count, "\(read.says)")
    for line in file.says { #expect(read.says.contains(line), "\(line): \(read.says)") }
    #expect(read.skips.count == file.skipped, "\(read.skips)")
  }
}
