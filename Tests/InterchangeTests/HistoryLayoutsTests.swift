import Care
import Foundation
import Interchange
import Testing

/// A small file of each layout, typed by the layout's own rules.
enum HistorySamples {
  /// A file, its kind, and what it says.
  struct Case: CustomTestStringConvertible, Sendable {
    var name: String
    var kind: HistoryKind
    var text: String
    /// `time quantity value`, in the order of the file; `~` marks a derived figure.
    var says: [String]
    /// `line reason`.
    var skips: [String] = []

    var testDescription: String { name }
  }

  static let all: [Case] = [
    Case(
      name: "openScale 3", kind: .openScale,
      text: """
        DATE,TIME,BMI,BODY_FAT,COMMENT,IMPEDANCE,WEIGHT
        2026-03-02,07:04:31,24.8,21.4,"a, b",503.0,81.95
        2026-03-03,,24.9,0.0,,,82.2

        """,
      says: [
        "2026-03-02T07:04:31 bodyMassIndex 24.8~", "2026-03-02T07:04:31 bodyFatPercentage 21.4~",
        "2026-03-02T07:04:31 impedance 503", "2026-03-02T07:04:31 bodyMass 81.95",
        "2026-03-03 bodyMassIndex 24.9~", "2026-03-03 bodyMass 82.2",
      ]),
    Case(
      name: "openScale 3 in pounds", kind: .openScale,
      text: "DATE,TIME,BMI,WEIGHT\r\n2026-03-02,07:04:31,24.8,180.7\r\n",
      says: ["2026-03-02T07:04:31 bodyMassIndex 24.8~", "2026-03-02T07:04:31 bodyMass 81.96414126"]),
    Case(
      name: "openScale 2", kind: .openScale,
      text: """
        "biceps","bone","comment","dateTime","fat","lbm","muscle","visceralFat","water","weight"
        "0.0","3.1","","2019-05-02 06:58","22.5","0.0","40.1","7.0","55.2","81.4"
        """,
      says: [
        "2019-05-02T06:58:00 boneMass 3.1~", "2019-05-02T06:58:00 bodyFatPercentage 22.5~",
        "2019-05-02T06:58:00 musclePercentage 40.1~", "2019-05-02T06:58:00 visceralFat 7~",
        "2019-05-02T06:58:00 bodyWaterPercentage 55.2~", "2019-05-02T06:58:00 bodyMass 81.4",
      ]),
    Case(
      name: "openScale 1", kind: .openScale,
      text: "03.11.2015 07:12,82.4,21.0,55.0,40.0,good\n",
      says: [
        "2015-11-03T07:12:00 bodyMass 82.4", "2015-11-03T07:12:00 bodyFatPercentage 21~",
        "2015-11-03T07:12:00 bodyWaterPercentage 55~",
        "2015-11-03T07:12:00 musclePercentage 40~",
      ]),
    Case(
      name: "Withings weights after a blank row", kind: .withings,
      text: """

        Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments

        "2026-06-14 06:30:00",81.20,,,,,
        """,
      says: ["2026-06-14T06:30:00 bodyMass 81.2"]),
    Case(
      name: "Withings weights", kind: .withings,
      text: """
        Date,"Weight (kg)","Fat mass (kg)","Bone mass (kg)","Muscle mass (kg)","Hydration (kg)",Comments
        "2026-06-14 06:30:00",81.20,17.31,3.22,60.65,43.93,
        "2026-06-15 06:31:00",81.00,,,,,
        """,
      says: [
        "2026-06-14T06:30:00 bodyMass 81.2", "2026-06-14T06:30:00 boneMass 3.22~",
        "2026-06-14T06:30:00 muscleMass 60.65~", "2026-06-14T06:30:00 bodyWaterMass 43.93~",
        "2026-06-14T06:30:00 bodyFatPercentage 21.3~", "2026-06-15T06:31:00 bodyMass 81",
      ]),
    Case(
      name: "Withings weights in pounds", kind: .withings,
      text: """
        Date,"Weight (lb)","Fat mass (lb)","Bone mass (lb)","Muscle mass (lb)","Hydration (lb)",Comments
        "2026-09-22 10:26:32",205.8,,,,,
        """,
      says: ["2026-09-22T10:26:32 bodyMass 93.34930975"]),
    Case(
      name: "Withings pressures", kind: .withings,
      text: """
        Date,"Heart rate",Systolic,Diastolic,Comments
        "2026-06-14 06:35:00",64,128,82,
        "2026-06-15 06:35:00",62,,,
        """,
      says: [
        "2026-06-14T06:35:00 pulseRate 64", "2026-06-14T06:35:00 bloodPressureSystolic 128",
        "2026-06-14T06:35:00 bloodPressureDiastolic 82", "2026-06-15T06:35:00 pulseRate 62",
      ]),
    Case(
      name: "Withings heart rates", kind: .withings,
      text: """
        start,duration,value
        "2021-02-16T09:00:10+01:00","[60,60,120]","[71,70,74]"
        """,
      says: [
        "2021-02-16T08:00:10Z heartRate 71", "2021-02-16T08:01:10Z heartRate 70",
        "2021-02-16T08:02:10Z heartRate 74",
      ]),
    Case(
      name: "Fitbit weights", kind: .fitbit,
      text: """
        [{"logId":1727000000000,"weight":178.6,"bmi":25.6,"fat":21.5,"date":"09/22/26","time":"06:41:03","source":"Aria"},
         {"logId":1727135999000,"weight":178.2,"bmi":25.55,"date":"09/23/26","time":"23:59:59","source":"API"}]
        """,
      says: [
        "2026-09-22T06:41:03 bodyMass 81.01159728", "2026-09-22T06:41:03 bodyMassIndex 25.6~",
        "2026-09-22T06:41:03 bodyFatPercentage 21.5~", "2026-09-23 bodyMass 80.83016033",
        "2026-09-23 bodyMassIndex 25.55~",
      ]),
    Case(
      name: "Fitbit's dashboard", kind: .fitbit,
      text: """
        Body
        Date,Weight,BMI,Fat
        "2019-01-21","81.2","24.9","21.5"

        Activities
        Date,Calories Burned,Steps
        "2019-01-21","2,345","10,432"

        """,
      says: [
        "2019-01-21 bodyMass 81.2", "2019-01-21 bodyMassIndex 24.9~",
        "2019-01-21 bodyFatPercentage 21.5~", "2019-01-21 stepCount 10432",
      ]),
    Case(
      name: "Google Health", kind: .googleHealth,
      text: """
        timestamp,weight grams,data source
        2026-05-27T05:33:27Z,93400,Zepp Life Health Kit
        2026-05-27T05:33:27Z,93400,YAZIO Health Kit
        2026-05-28T05:19:44Z,93400,YAZIO Health Kit
        """,
      says: ["2026-05-27T05:33:27Z bodyMass 93.4", "2026-05-28T05:19:44Z bodyMass 93.4"],
      skips: ["3 copy"]),
    Case(
      name: "Google Fit", kind: .googleFit,
      text: """
        {"Data Source":"derived:com.google.weight:com.google.android.gms:merge_weight","Data Points":[
        {"fitValue":[{"value":{"fpVal":72.5999984741211}}],"originDataSourceId":"raw:com.google.weight:x:user_input",
        "startTimeNanos":1434620350091000000,"endTimeNanos":1434620350091000000,"dataTypeName":"com.google.weight"}]}
        """,
      says: ["2015-06-18T09:39:10.091Z bodyMass 72.6"]),
    Case(
      name: "Renpho", kind: .renpho,
      text: """
        Time of Measurement,Weight(kg),BMI,Body Fat(%),Fat-Free Mass(kg),BMR(kcal),Metabolic Age,Remarks
        2026-03-02 07:04:31,81.95,24.8,21.4,64.4,--,38,"a,b"
        "10/13/2026, 9:00\u{202F}PM",81.5,24.7,21.0,64.4,1500,38,
        """,
      says: [
        "2026-03-02T07:04:31 bodyMass 81.95", "2026-03-02T07:04:31 bodyMassIndex 24.8~",
        "2026-03-02T07:04:31 bodyFatPercentage 21.4~", "2026-03-02T07:04:31 fatFreeMass 64.4~",
        "2026-10-13T21:00:00 bodyMass 81.5", "2026-10-13T21:00:00 bodyMassIndex 24.7~",
        "2026-10-13T21:00:00 bodyFatPercentage 21~", "2026-10-13T21:00:00 fatFreeMass 64.4~",
        "2026-10-13T21:00:00 basalMetabolicRate 6276~",
      ]),
    Case(
      name: "Beurer HealthManager", kind: .beurer,
      text: """
        Benutzer
        Vorname;Nora

        Gewicht
        Datum;Uhrzeit;kg;BMI;Körperfett;Wasser;Muskeln;Knochen;Puls
        31.08.2026;07:04;81,9;24,8;21,4;55,1;40,2;3,1;0,0

        Blutdruck
        Datum;Uhrzeit;Sys;Dia;Puls;MAD;Manuell hinzugefügt
        31.08.2026;07:10;128;82;64;97;1

        Temperatur
        Datum;Uhrzeit;°C;Kommentar
        31.08.2026;07:12;36,6;
        31.08.2026;07:13;21,5;
        """,
      says: [
        "2026-08-31T07:04:00 bodyMass 81.9", "2026-08-31T07:04:00 bodyMassIndex 24.8~",
        "2026-08-31T07:04:00 bodyFatPercentage 21.4~",
        "2026-08-31T07:04:00 bodyWaterPercentage 55.1~",
        "2026-08-31T07:04:00 musclePercentage 40.2~", "2026-08-31T07:04:00 boneMass 3.1~",
        "2026-08-31T07:10:00 bloodPressureSystolic 128",
        "2026-08-31T07:10:00 bloodPressureDiastolic 82", "2026-08-31T07:10:00 pulseRate 64",
        "2026-08-31T07:10:00 bloodPressureMean 97~", "2026-08-31T07:12:00 bodyTemperature 36.6",
      ],
      skips: ["- unsupported(\"temperature of an object or room\")"]),
    Case(
      name: "HealthForYou", kind: .beurer,
      text: """
        BLOOD PRESSURE
        Date;Time;Sys;Dia;Pulse;MAP;Added manually
        31/08/2026;07:04 am;128;82;64;97;0
        """,
      says: [
        "2026-08-31T07:04:00 bloodPressureSystolic 128",
        "2026-08-31T07:04:00 bloodPressureDiastolic 82", "2026-08-31T07:04:00 pulseRate 64",
        "2026-08-31T07:04:00 bloodPressureMean 97~",
      ]),
    Case(
      name: "Zepp Life", kind: .zeppLife,
      text: """
        time,weight,height,bmi,fatRate,bodyWaterRate,boneMass,metabolism,muscleRate,visceralFat
        2026-02-05 00:30:20+0000,66.95,180.0,20.6,14.148586,58.89407,2.9257855,1494,54.551735,6.0
        2026-02-06 00:30:20+0000,66.50,180.0,20.5,null,null,null,null,null,null
        """,
      says: [
        "2026-02-05T00:30:20Z bodyMass 66.95", "2026-02-05T00:30:20Z height 1.8",
        "2026-02-05T00:30:20Z bodyMassIndex 20.6~",
        "2026-02-05T00:30:20Z bodyFatPercentage 14.148586~",
        "2026-02-05T00:30:20Z bodyWaterPercentage 58.89407~",
        "2026-02-05T00:30:20Z boneMass 2.9257855~",
        "2026-02-05T00:30:20Z basalMetabolicRate 6250.896~",
        "2026-02-05T00:30:20Z muscleMass 54.551735~", "2026-02-05T00:30:20Z visceralFat 6~",
        "2026-02-06T00:30:20Z bodyMass 66.5", "2026-02-06T00:30:20Z height 1.8",
        "2026-02-06T00:30:20Z bodyMassIndex 20.5~",
      ]),
    Case(
      name: "Mi Fit in metres", kind: .zeppLife,
      text: """
        timestamp,weight,height,bmi,fatRate,bodyWaterRate,boneMass,metabolism,muscleRate,visceralFat,impedance
        1772434471,66.5,1.80,20.5,null,null,null,null,null,null,null
        """,
      says: [
        "2026-03-02T06:54:31Z bodyMass 66.5", "2026-03-02T06:54:31Z height 1.8",
        "2026-03-02T06:54:31Z bodyMassIndex 20.5~",
      ]),
    Case(
      name: "Garmin weights", kind: .garmin,
      text: """
        Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,
        " Jul 18, 2026",
        8:28 AM,80.0 kg,0.5 kg,25.0,18.0 %,35.0 kg,--,61.0 %,
        """,
      says: [
        "2026-07-18T08:28:00 bodyMass 80", "2026-07-18T08:28:00 bodyMassIndex 25~",
        "2026-07-18T08:28:00 bodyFatPercentage 18~", "2026-07-18T08:28:00 muscleMass 35~",
        "2026-07-18T08:28:00 bodyWaterPercentage 61~",
      ]),
    Case(
      name: "Garmin's data", kind: .garmin,
      text: """
        [{"metaData":{"calendarDate":"2023-11-28T13:00:00.0","sequence":1},"userSetNullForHeight":false},
        {"metaData":{"calendarDate":"2023-11-28T13:00:00.0","sequence":2},
        "weight":{"weight":77000.0,"sourceType":"MANUAL","timestampGMT":"2023-11-28T05:31:07.0"}}]
        """,
      says: ["2023-11-28T05:31:07Z bodyMass 77"]),
    Case(
      name: "Samsung Health", kind: .samsungHealth,
      text: """
        com.samsung.health.weight,7006003,12
        start_time,weight,com.samsung.health.weight.body_fat,time_offset,pkg_name,datauuid
        2026-08-31 06:29:10.346,81.9,21.4,UTC+0200,com.sec.android.app.shealth,0f0e-11,
        """,
      says: [
        "2026-08-31T06:29:10Z bodyMass 81.9", "2026-08-31T06:29:10Z bodyFatPercentage 21.4~",
      ]),
    Case(
      name: "Omron Connect", kind: .omron,
      text: """
        Date,Time,Systolic (mmHg),Diastolic (mmHg),Pulse (bpm),Symptoms,Consumed,TruRead,Device,Notes
        Jan 12 2026,08:15,128,82,64,-,-,Off,-,-
        "Jan 04, 2026",08:16,131,84
        Jan 05 2026,08:15,,82,64,-,-,Off,-,-
        Jan 06 2026,08:15,128,0,-,-,-,Off,-,-
        """,
      says: [
        "2026-01-12T08:15:00 bloodPressureSystolic 128",
        "2026-01-12T08:15:00 bloodPressureDiastolic 82", "2026-01-12T08:15:00 pulseRate 64",
        "2026-01-04T08:16:00 bloodPressureSystolic 131",
        "2026-01-04T08:16:00 bloodPressureDiastolic 84", "2026-01-05T08:15:00 pulseRate 64",
      ], skips: ["4 halfPressure", "5 halfPressure"]),
    Case(
      name: "Omron Connect in German", kind: .omron,
      text: """
        Datum;Zeit;Systolisch (mmHg);Diastolisch (mmHg);Puls (bpm);TruRead;Gerät
        18 Jan. 2024;23:21;128;82;64;-;HEM-7361T
        2 Mär 2024;07:21;126;80;-;-;HEM-7361T
        """,
      says: [
        "2024-01-18T23:21:00 bloodPressureSystolic 128",
        "2024-01-18T23:21:00 bloodPressureDiastolic 82", "2024-01-18T23:21:00 pulseRate 64",
        "2024-03-02T07:21:00 bloodPressureSystolic 126",
        "2024-03-02T07:21:00 bloodPressureDiastolic 80",
      ]),
    Case(
      name: "Blood Pressure Monitor", kind: .bloodPressure,
      text: """
        timestampUnixMs;systolic;diastolic;pulse;notes;color;intakes;bodyweight
        1772434471000;128;82;64;null;;Metoprolol(50.0);81.9
        """,
      says: [
        "2026-03-02T06:54:31Z bloodPressureSystolic 128",
        "2026-03-02T06:54:31Z bloodPressureDiastolic 82", "2026-03-02T06:54:31Z pulseRate 64",
        "2026-03-02T06:54:31Z bodyMass 81.9",
      ]),
    Case(
      name: "VitaDock", kind: .bloodPressure,
      text: #""25.06.2015 - 19:14";"104 mmHg";"68 mmHg";"72 bpm";"0";"2";"  "#,
      says: [
        "2015-06-25T19:14:00 bloodPressureSystolic 104",
        "2015-06-25T19:14:00 bloodPressureDiastolic 68", "2015-06-25T19:14:00 pulseRate 72",
      ]),
    Case(
      name: "LibreView", kind: .libreView,
      text: """
        Glucose Data,Generated on,11-05-2026 09:12 AM UTC,Generated by,N
        Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mg/dL,Scan Glucose mg/dL,Strip Glucose mg/dL
        FreeStyle Libre 3,0A1B,03-02-2026 07:04 AM,0,112,,
        FreeStyle Libre 3,0A1B,03-02-2026 07:06 AM,1,,114,
        FreeStyle Libre 3,0A1B,03-02-2026 07:09 PM,2,,,98
        """,
      says: [
        "2026-03-02T07:04:00 interstitialGlucose 112", "2026-03-02T19:09:00 bloodGlucoseMass 98",
      ], skips: ["4 copy"]),
    Case(
      name: "LibreView in mmol/L", kind: .libreView,
      text: """
        Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mmol/L,Scan Glucose mmol/L
        FreeStyle Libre 2,0A1B,14-02-2026 07:04,0,6.2,
        """,
      says: ["2026-02-14T07:04:00 interstitialGlucose 111.6992"]),
    Case(
      name: "Dexcom Clarity", kind: .clarity,
      text: """
        "Index","Timestamp (YYYY-MM-DDThh:mm:ss)","Event Type","Event Subtype","Patient Info","Device Info","Source Device ID","Glucose Value (mg/dL)","Insulin Value (u)"
        "1","","FirstName","","N","","","",""
        "2","","Alert","Low","","","","70",""
        "3","2026-03-02T07:04:31","EGV","","","","iPhone G7","112",""
        "4","2026-03-02T07:09:31","EGV","","","","iPhone G7","Low",""
        """,
      says: ["2026-03-02T07:04:31 interstitialGlucose 112"], skips: ["5 beyondSensor(\"Low\")"]),
    Case(
      name: "xDrip+", kind: .xDrip,
      text: """
        DAY;TIME;UDT_CGMS;BG_LEVEL;CH_GR;BOLUS;REMARK
        14.05.2026;19:20;115;;;;
        14.05.2026;19:22;;110;;;
        """,
      says: [
        "2026-05-14T19:20:00 interstitialGlucose 115", "2026-05-14T19:22:00 bloodGlucoseMass 110",
      ]),
    Case(
      name: "Nightscout", kind: .nightscout,
      text: """
        [{"type":"sgv","sgv":112,"date":1795000000000,"utcOffset":0,"direction":"Flat","device":"xDrip","_id":"a"},
        {"type":"sgv","sgv":9,"date":1795000300000.5,"device":"xDrip","_id":"b"},
        {"type":"mbg","mbg":98,"date":1795000400000,"_id":"c"}]
        """,
      says: [
        "2026-11-18T11:06:40Z interstitialGlucose 112", "2026-11-18T11:13:20Z bloodGlucoseMass 98",
      ], skips: ["2 beyondSensor(\"9\")"]),
    Case(
      name: "Health Auto Export", kind: .healthAutoExport,
      text: """
        {"data":{"metrics":[
        {"data":[{"qty":180.5,"date":"2026-03-02 7:04:31\u{202F}am +0100","source":"Withings"}],"units":"lb","name":"weight_body_mass"},
        {"name":"blood_pressure","units":"mmHg","data":[{"date":"2026-03-02 07:10:00 +0100","systolic":128,"diastolic":82}]},
        {"name":"heart_rate","units":"count/min","data":[{"date":"2026-03-02 07:00:00 +0100","Min":51,"Avg":60.5,"Max":77},{"date":"2026-03-02 07:00:05 +0100","Min":61,"Avg":61,"Max":61}]}
        ],"workouts":[]}}
        """,
      says: [
        "2026-03-02T06:04:31Z bodyMass 81.87342279",
        "2026-03-02T06:10:00Z bloodPressureSystolic 128",
        "2026-03-02T06:10:00Z bloodPressureDiastolic 82", "2026-03-02T06:00:05Z heartRate 61",
      ], skips: ["3 aggregated"]),
    Case(
      name: "Health Auto Export's table", kind: .healthAutoExport,
      text: """
        Date/Time,Active Energy (kJ),Blood Glucose (mmol/L),Blood Pressure [Systolic] (mmHg),Blood Pressure [Diastolic] (mmHg),Body Temperature (ºC),Weight & Body Mass (kg)
        2026-03-02 07:04:31,,,128,82,36.6,81.95
        """,
      says: [
        "2026-03-02T07:04:31 bloodPressureSystolic 128",
        "2026-03-02T07:04:31 bloodPressureDiastolic 82",
        "2026-03-02T07:04:31 bodyTemperature 36.6", "2026-03-02T07:04:31 bodyMass 81.95",
      ]),
    Case(
      name: "Apple Health", kind: .appleHealth,
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!ATTLIST VisionPrescription
          type CDATA #REQUIRED
        ]>
        <HealthData locale="de_DE">
         <ExportDate value="2026-11-01 10:00:00 +0100"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Anna’s\u{A0}Scale &amp; Co" unit="kg" creationDate="2026-03-02 07:05:10 +0100" startDate="2026-03-02 07:04:31 +0100" endDate="2026-03-02 07:04:31 +0100" value="81.95"/>
         <Record sourceName="Health" type="HKQuantityTypeIdentifierBodyFatPercentage" unit="%" startDate="2026-03-02 07:04:31 +0100" endDate="2026-03-02 07:04:31 +0100" value="0.214">
          <MetadataEntry key="HKWasUserEntered" value="1"/>
         </Record>
         <Record type="HKQuantityTypeIdentifierBloodGlucose" sourceName="Libre" unit="mmol&lt;180.1558800000541&gt;/L" startDate="2026-03-02 07:04:31 +0100" endDate="2026-03-02 07:04:31 +0100" value="6.2"/>
         <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" startDate="2026-03-02 07:00:00 +0100" endDate="2026-03-02 07:10:00 +0100" value="312"/>
         <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="Watch" unit="mL/min·kg" startDate="2026-03-02 07:00:00 +0100" endDate="2026-03-02 07:10:00 +0100" value="40"/>
         <Correlation type="HKCorrelationTypeIdentifierBloodPressure" startDate="2026-03-02 07:00:00 +0100">
          <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Omron" unit="mmHg" startDate="2026-03-02 07:00:00 +0100" endDate="2026-03-02 07:00:00 +0100" value="128"/>
         </Correlation>
         <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" sourceName="Omron" unit="mmHg" startDate="2026-03-02 07:00:00 +0100" endDate="2026-03-02 07:00:00 +0100" value="128"/>
        </HealthData>
        """,
      says: [
        "2026-03-02T06:04:31Z bodyMass 81.95", "2026-03-02T06:04:31Z bodyFatPercentage 21.4~",
        "2026-03-02T06:04:31Z bloodGlucose 6.2", "2026-03-02T06:00:00Z stepCount 312",
        "2026-03-02T06:00:00Z bloodPressureSystolic 128",
      ], skips: ["- unsupported(\"VO2Max\")"]),
    // Rows as other programs' own tests have them: variants that the rules do not show.
    Case(
      name: "Garmin weights of Europe", kind: .garmin,
      text: """
        Time,Weight,Change,BMI,Body Fat,Skeletal Muscle Mass,Bone Mass,Body Water,
        " 21 Sep 2023",
        17:08,81.4 kg,0.9 kg,24.6,21.5 %,33.4 kg,5.1 kg,57.3 %,
        17:08,81.4 kg,0.1 kg,24.6,21.4 %,33.4 kg,5.1 kg,57.4 %,
        06:19,82.3 kg,--,--,--,--,--,--,
        """,
      says: [
        "2023-09-21T17:08:00 bodyMass 81.4", "2023-09-21T17:08:00 bodyMassIndex 24.6~",
        "2023-09-21T17:08:00 bodyFatPercentage 21.5~", "2023-09-21T17:08:00 muscleMass 33.4~",
        "2023-09-21T17:08:00 boneMass 5.1~", "2023-09-21T17:08:00 bodyWaterPercentage 57.3~",
        "2023-09-21T17:08:00 bodyMass 81.4", "2023-09-21T17:08:00 bodyMassIndex 24.6~",
        "2023-09-21T17:08:00 bodyFatPercentage 21.4~", "2023-09-21T17:08:00 muscleMass 33.4~",
        "2023-09-21T17:08:00 boneMass 5.1~", "2023-09-21T17:08:00 bodyWaterPercentage 57.4~",
        "2023-09-21T06:19:00 bodyMass 82.3",
      ]),
    Case(
      name: "Apple Health in feet and pounds", kind: .appleHealth,
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <HealthData locale="en_US">
         <Record type="HKQuantityTypeIdentifierHeight" sourceName="Health" sourceVersion="12.2" unit="ft" creationDate="2019-04-20 21:15:57 -0400" startDate="2019-04-20 21:15:57 -0400" endDate="2019-04-20 21:15:57 -0400" value="6"/>
         <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Health" sourceVersion="16.5.1" unit="lb" creationDate="2023-07-23 10:35:40 -0400" startDate="2023-07-23 10:35:00 -0400" endDate="2023-07-23 10:35:00 -0400" value="200"/>
         <Record type="HKQuantityTypeIdentifierBodyFatPercentage" sourceName="Hume Health" unit="%" value="0.184" startDate="2026-08-20 07:00:00 -0400"/>
        </HealthData>
        """,
      says: [
        "2019-04-21T01:15:57Z height 1.8288", "2023-07-23T14:35:00Z bodyMass 90.718474",
        "2026-08-20T11:00:00Z bodyFatPercentage 18.4~",
      ]),
    Case(
      name: "Health Auto Export with names behind", kind: .healthAutoExport,
      text: """
        {"data":{"metrics":[{"data":[{"date":"2026-08-22T09:00:00.000Z","qty":70},{"date":"2026-08-23T09:00:00.000Z","qty":71}],"name":"weight_body_mass","units":"kg"},
        {"name":"weight_body_mass","units":"lb","data":[{"qty":154.3235835294143,"source":"fatsecret","date":"2025-01-31 00:00:00 +0300"}]}]}}
        """,
      says: [
        "2026-08-22T09:00:00Z bodyMass 70", "2026-08-23T09:00:00Z bodyMass 71",
        "2025-01-30T21:00:00Z bodyMass 70",
      ]),
    Case(
      name: "Zepp Life with blank rows", kind: .zeppLife,
      text: """
        time,weight,height,bmi,fatRate,bodyWaterRate,boneMass,metabolism,muscleRate,visceralFat
        2022-08-09 16:51:06+0000,80.0,182.0,24.2,null,null,null,null,null,null
        ,,,,,,,,,
        2026-03-01 01:00:00+0000,80.0,180.0,0,0,0,0,0,0,0
        """,
      says: [
        "2022-08-09T16:51:06Z bodyMass 80", "2022-08-09T16:51:06Z height 1.82",
        "2022-08-09T16:51:06Z bodyMassIndex 24.2~", "2026-03-01T01:00:00Z bodyMass 80",
        "2026-03-01T01:00:00Z height 1.8",
      ]),
    Case(
      name: "Samsung Health with a clock that was never set", kind: .samsungHealth,
      text: """
        com.samsung.health.weight,6320001,12
        start_time,time_offset,datauuid,weight
        2026-06-19 23:00:00.000,UTC+0900,weight-1,75.4,
        2026-06-20 01:00:00.000,UTC+0900,weight-2,75.2,
        1970-01-01 00:00:00.000,UTC+0900,placeholder,74.0,
        """,
      says: ["2026-06-19T23:00:00Z bodyMass 75.4", "2026-06-20T01:00:00Z bodyMass 75.2"],
      skips: ["5 time(\"1970-01-01 00:00:00.000\")"]),
    Case(
      name: "Blood Pressure Monitor with commas", kind: .bloodPressure,
      text: """
        timestampUnixMs,systolic,diastolic,pulse,notes,needlePin
        1703175193324,123,45,67,note1,"{""color"":4285132974}"
        1703147206000,114,71,56,,null
        """,
      says: [
        "2023-12-21T16:13:13.324Z bloodPressureSystolic 123",
        "2023-12-21T16:13:13.324Z bloodPressureDiastolic 45",
        "2023-12-21T16:13:13.324Z pulseRate 67", "2023-12-21T08:26:46Z bloodPressureSystolic 114",
        "2023-12-21T08:26:46Z bloodPressureDiastolic 71", "2023-12-21T08:26:46Z pulseRate 56",
      ]),
    Case(
      name: "Dexcom Clarity of few columns", kind: .clarity,
      text: """
        Index,Timestamp (YYYY-MM-DDThh:mm:ss),Event Type,Event Subtype,Glucose Value (mg/dL)
        1,2026-09-01T00:03:00,EGV,,142
        2,2026-09-01T00:08:00,EGV,,138
        3,2026-09-01T00:13:00,Insulin,Fast-Acting,
        5,2026-09-01T00:23:00,EGV,,High
        """,
      says: [
        "2026-09-01T00:03:00 interstitialGlucose 142",
        "2026-09-01T00:08:00 interstitialGlucose 138",
      ], skips: ["5 beyondSensor(\"High\")", "- unsupported(\"Clarity Insulin\")"]),
    Case(
      name: "LibreView of America in mmol/L", kind: .libreView,
      text: """
        Glucose Data,Generated on,01-09-2026
        Device,Serial Number,Device Timestamp,Record Type,Historic Glucose mmol/L,Scan Glucose mmol/L
        FreeStyle,X1,09-01-2026 07:15 AM,0,5.5,
        FreeStyle,X1,09-01-2026 07:30 AM,0,10.0,
        """,
      says: [
        "2026-09-01T07:15:00 interstitialGlucose 99.088",
        "2026-09-01T07:30:00 interstitialGlucose 180.16",
      ]),
    Case(
      name: "medTimer", kind: .medTimer,
      text: """
        Erinnert;Name;Dosis;Genommen;Schlagwörter;Intervall;Notizen;Erinnert (ISO 8601);Genommen (ISO 8601)
        02.03.26 07:00;Metoprolol;47,5 mg;02.03.26 07:04;Herz, früh;0:00;"well; then;2026-03-02T06:00:00Z;2026-03-02T06:04:31Z
        02.03.26 19:00;Ramipril;5 mg;;;0:00;;2026-03-02T18:00:00Z;
        03.03.26 07:00;Metoprolol;47,5 mg;03.03.26 07:01;;0:00;after
        a walk;2026-03-03T06:00:00Z;2026-03-03T06:01:00Z
        03.03.26 19:00;Ramipril;5 mg;03.03.26 19:01;;0:00;cut
        04.03.26 07:00;Metoprolol;47,5 mg;04.03.26 07:01;;0:00;;2026-03-04T06:00:00Z;2026-03-04T06:01:00Z
        """,
      says: [
        "2026-03-02T06:00:00Z Metoprolol done 2026-03-02T06:04:31Z",
        "2026-03-03T06:00:00Z Metoprolol done 2026-03-03T06:01:00Z",
        "2026-03-04T06:00:00Z Metoprolol done 2026-03-04T06:01:00Z",
      ], skips: ["3 unanswered", "6 damaged"]),
    Case(
      name: "Loop Habit Tracker", kind: .loopHabits,
      text: """
        Date,Stretch,Pills "red",Water,
        2026-03-03,YES_MANUAL,SKIP,1500,
        2026-03-02,YES_AUTO,NO,NO,
        2026-03-01,UNKNOWN,UNKNOWN,UNKNOWN,
        """,
      says: [
        "2026-03-03 Stretch done", "2026-03-03 Pills \"red\" skipped",
        "2026-03-02 Pills \"red\" notDone",
      ], skips: ["3 implied", "- unsupported(\"habit with a number\")"]),
    Case(
      name: "measured", kind: .measured,
      text: """
        id,time,quantity,value,unit,patient,device
        7,2026-03-02T07:04:31+01:00,bodyMass,81.95,kg,john,C0:00:00:00:00:01
        """,
      says: ["2026-03-02T06:04:31Z bodyMass 81.95"]),
    Case(
      name: "a table", kind: .table,
      text: """
        Fecha;Hora;Peso (kg);Sistólica;Diastólica;Pulso
        13/02/2026;7:04;81,95;128;82;64
        02/03/2026;7:05;82,1;;;
        """,
      says: [
        "2026-02-13T07:04:00 bodyMass 81.95", "2026-02-13T07:04:00 bloodPressureSystolic 128",
        "2026-02-13T07:04:00 bloodPressureDiastolic 82", "2026-02-13T07:04:00 pulseRate 64",
        "2026-03-02T07:05:00 bodyMass 82.1",
      ]),
    Case(
      name: "a table whose dates are ambiguous", kind: .table,
      text: "date,weight (kg)\n02/03/2026,81.9\n",
      says: [], skips: ["2 dayOrMonth(\"02/03/2026\")"]),
    Case(
      name: "a table without a unit", kind: .table,
      text: "date,weight\n2026-03-02,81.9\n",
      says: [], skips: ["2 unknownWeightUnit"]),
  ]

  /// The entries of a file, a line each, and the parts of it that were left out.
  static func read(
    _ bytes: [UInt8], columns: [HistoryColumn] = []
  ) throws -> (kind: HistoryKind?, says: [String], skips: [String]) {
    let file = try HistoryFile(MemoryBytes(bytes, name: "file"), columns: columns, copy: nil)
    var (says, skips): ([String], [String]) = ([], [])
    try file.read { batch in
      says += batch.entries.map(Self.line) + batch.answers.map(Self.line)
      skips += batch.skips.map { "\($0.line.map(String.init) ?? "-") \($0.reason)" }
    }
    return (file.kinds.first, says, skips)
  }

  static func line(_ entry: HistoryEntry) -> String {
    let value = String(entry.value)
    return "\(text(entry.time)) \(entry.quantity.rawValue) "
      + (value.hasSuffix(".0") ? String(value.dropLast(2)) : value) + (entry.isDerived ? "~" : "")
  }

  private static func line(_ answer: HistoryAnswer) -> String {
    "\(text(answer.due)) \(answer.name) \(answer.state)"
      + (answer.at.map { " " + text($0) } ?? "")
  }

  private static func text(_ time: HistoryTime) -> String {
    switch time {
    case .instant(let date):
      let text = date.rfc3339(in: .gmt).replacing("+00:00", with: "")
      guard text.contains(".") else { return text + "Z" }
      return text.trimmingSuffix("0") + "Z"
    case .local(let local): return local.description
    case .day(let day): return String(day.description.prefix(10))
    }
  }
}

extension String {
  fileprivate func trimmingSuffix(_ character: Character) -> String {
    var text = self
    while text.last == character { text.removeLast() }
    return text
  }
}

struct HistoryLayoutsTests {
  @Test(arguments: HistorySamples.all)
  func `each layout gives its values, times and units`(_ sample: HistorySamples.Case) throws {
    let read = try HistorySamples.read(Array(sample.text.utf8))
    #expect(read.kind == sample.kind)
    #expect(read.says == sample.says)
    #expect(read.skips == sample.skips)
  }

  @Test(arguments: HistorySamples.all)
  func `a file in another encoding says the same`(_ sample: HistorySamples.Case) throws {
    let plain = try HistorySamples.read(Array(sample.text.utf8))
    let lines = sample.text.replacing("\r\n", with: "\n")
    var marked: [[UInt8]] = [
      [0xEF, 0xBB, 0xBF] + Array(sample.text.utf8),
      Array(lines.replacing("\n", with: "\r\n").utf8),
    ]
    for isLittleEndian in [true, false] {
      var bytes: [UInt8] = isLittleEndian ? [0xFF, 0xFE] : [0xFE, 0xFF]
      for unit in sample.text.utf16 {
        let (low, high) = (UInt8(unit & 0xFF), UInt8(unit >> 8))
        bytes += isLittleEndian ? [low, high] : [high, low]
      }
      marked.append(bytes)
    }
    for bytes in marked {
      let read = try HistorySamples.read(bytes)
      #expect(read.kind == plain.kind)
      #expect(read.says == plain.says)
      #expect(read.skips == plain.skips)
    }
  }

  /// As a spreadsheet saves a table where the comma is the decimal one.
  private static func savedAgain(_ text: String) -> String {
    var (rows, fields, field): ([String], [String], String) = ([], [], "")
    var isQuoted = false
    func end() {
      let isNumber = field.contains(".") && Double(field) != nil
      let shown = isNumber ? field.replacing(".", with: ",") : field
      let needsQuotes = shown.contains { "\";\n".contains($0) }
      fields.append(needsQuotes ? "\"" + shown.replacing("\"", with: "\"\"") + "\"" : shown)
      field = ""
    }
    for character in text.replacing("\r\n", with: "\n") {
      switch character {
      case "\"": isQuoted.toggle()
      case "," where !isQuoted: end()
      case "\n" where !isQuoted:
        end()
        rows.append(fields.joined(separator: ";"))
        fields = []
      default: field.append(character)
      }
    }
    end()
    return (rows + [fields.joined(separator: ";")]).joined(separator: "\r\n")
  }

  static let commaTables = HistorySamples.all.filter {
    // Loop Habit Tracker's names have marks of quotation as they are.
    $0.kind != .loopHabits && !$0.text.hasPrefix("[") && !$0.text.hasPrefix("{")
      && !$0.text.hasPrefix("<")
      && !$0.text.contains(";")
  }

  @Test(arguments: commaTables)
  func `a table that a spreadsheet saved says the same, or why not`(
    _ sample: HistorySamples.Case
  ) throws {
    do {
      let read = try HistorySamples.read(Array(Self.savedAgain(sample.text).utf8))
      #expect(Set(read.says).isSubset(of: sample.says), "\(read.says)")
      #expect(read.says == sample.says || !read.skips.isEmpty, "\(read.says)")
    } catch {
      #expect(error is HistoryError)
    }
  }

  /// Of twelve weighings in Tokyo: those of the morning by their clock, or by UTC with the offset; else UTC.
  @Test(arguments: [(7, "22:30:00Z"), (22, "22:30:00Z"), (12, "12:30:00Z")])
  func `the hours of a Samsung file say whether its times are UTC`(
    hour: Int, first: String
  ) throws {
    let rows = (10..<22).map {
      "2026-06-\($0) \(hour < 10 ? "0" : "")\(hour):30:00.000,UTC+0900,75.\($0),"
    }
    let text =
      "com.samsung.health.weight,6320001,12\nstart_time,time_offset,weight\n"
      + rows.joined(separator: "\n")
    let says = try HistorySamples.read(Array(text.utf8)).says
    #expect(says.count == 12)
    #expect(says.allSatisfy { $0.contains("T" + first + " bodyMass") }, "\(says)")
  }

  @Test func `a time that a spreadsheet has rounded is none`() throws {
    let text = "timestampUnixMs;systolic;diastolic;pulse\n1,70318E+12;123;45;67\n"
    let read = try HistorySamples.read(Array(text.utf8))
    #expect(read.says == [] && read.skips == ["2 time(\"1,70318E+12\")"])
  }

  @Test func `a decimal comma before three digits is one where semicolons separate`() throws {
    let text = "DATE;TIME;WEIGHT\n2026-03-02;07:04:31;81,953\n"
    #expect(
      try HistorySamples.read(Array(text.utf8)).says == ["2026-03-02T07:04:31 bodyMass 81.953"])
  }

  @Test func `text of Windows says the same`() throws {
    let text = "Gewicht\nDatum;Uhrzeit;kg;Körperfett\n31.08.2026;07:04;81,9;21,4\n"
    let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    #expect(
      try HistorySamples.read(bytes).says == [
        "2026-08-31T07:04:00 bodyMass 81.9", "2026-08-31T07:04:00 bodyFatPercentage 21.4~",
      ])
  }

  @Test func `columns that the command names are read`() throws {
    let bytes = Array("a,b,c\n2026-03-02,180.7,x\n".utf8)
    let columns = [try HistoryColumn("date=1"), try HistoryColumn("weight=b:lb")]
    #expect(
      try HistorySamples.read(bytes, columns: columns).says == ["2026-03-02 bodyMass 81.96414126"])
    #expect(throws: HistoryError(file: "file", .missingColumn("d", header: "a, b, c"))) {
      _ = try HistorySamples.read(bytes, columns: [try HistoryColumn("date=d")])
    }
    #expect(throws: HistoryError(file: "--columns", .malformedColumn("weight"))) {
      _ = try HistoryColumn("weight")
    }
  }

  static let unknown: [([UInt8], HistoryError.Problem)] = [
    ([], .empty),
    (Array("SQLite format 3\0aa".utf8), .unknownLayout(.database)),
    (Array("%PDF-1.7".utf8), .unknownLayout(.document)),
    (Array("a,b\n1,2\n".utf8), .unknownLayout(.table(columns: "a, b"))),
    (Array("t,x,y,z\n0,1,2,3\n".utf8), .unknownLayout(.recording)),
    (Array("{\"measured-trace\":1}\n".utf8), .unknownLayout(.recording)),
    (Array("{\"a\":[{\"b\":1}]}".utf8), .unknownLayout(.json(members: "a, a.b"))),
    ([1, 0, 2, 3, 0, 0, 9, 9], .unknownLayout(.binary)),
    (Array("hello".utf8), .unknownLayout(.text)),
    ([0x50, 0x4B, 3, 4, 0, 0], .archive(.cutOff)),
  ]

  @Test(arguments: unknown)
  func `what is no history says what it looks like`(
    _ bytes: [UInt8], _ problem: HistoryError.Problem
  ) {
    #expect(throws: HistoryError(file: "file", problem)) {
      _ = try HistorySamples.read(bytes)
    }
  }

  @Test func `a cut JSON text gives what is whole, and its line`() throws {
    let text = """
      [{"type":"sgv","sgv":112,"date":1795000000000},
      {"type":"sgv","sgv":113,"da
      """
    let file = try HistoryFile(MemoryBytes(Array(text.utf8), name: "file"), copy: nil)
    var count = 0
    #expect(throws: HistoryError(file: "file", line: 2, .cutOff)) {
      try file.read { count += $0.entries.count }
    }
    #expect(count == 1)
  }

  @Test func `an open quotation mark skips its rows alone`() throws {
    let text = "DATE,TIME,COMMENT,WEIGHT\n2026-03-02,07:00:00,\"open,81.9\n"
    let read = try HistorySamples.read(Array(text.utf8))
    #expect(read.says == [])
    #expect(read.skips == ["2 openQuote"])
  }
}
