import Foundation
import Testing

@testable import DeviceCatalog

struct ShippedDefinitionsTests {
  @Test func `are without findings`() throws {
    #expect(DeviceCatalog.lint([try Repository.files()]) == [])
  }

  @Test func `stand in the documents`() throws {
    let table = DeviceTable(try Repository.catalog())
    for (path, lines) in [("docs/devices.md", table.lines), ("README.md", table.summary)] {
      let document = try String(
        contentsOf: Repository.devices.deletingLastPathComponent().appending(path: path),
        encoding: .utf8)
      #expect(
        document.contains("\n\n" + lines.joined(separator: "\n") + "\n\n"),
        "`measured devices list --markdown` prints the tables, \(path)")
    }
    for id in try Repository.catalog().definitions.map(\.id) {
      #expect(table.lines.contains { $0.contains("](../Devices/\(id).yaml)") }, "\(id)")
    }
  }

  @Test func `are these`() throws {
    #expect(
      try Repository.catalog().definitions.map(\.id) == [
        "aandd-ble", "aandd-uc-450ble", "afu-b1", "alpha-smart-scale-pro-3", "berrymed-bm1000",
        "beurer-bf500", "beurer-bf700", "beurer-bf7xx", "beurer-bm85", "beurer-po60",
        "chipsea-11ca", "chipsea-20ca", "chipsea-c0", "chipsea-f0ff", "choicemmed-oximeter",
        "contec-cms50d-bt", "cult-smart-scale-pro", "digoo-dg-so38h", "dr-trust-ssw532",
        "ebelter-body-fat-b2", "eebbl-p1", "etekcity-esf-551", "etekcity-fit-8s", "eufy-c20",
        "eufy-classic", "eufy-p2", "excelvan-cf36x", "exingtech-y1", "fittrack-dara",
        "hesley-yunchen", "hoffen-bbs-8107", "huami-band", "huami-scale", "huawei-ah100",
        "icomon-hutbit", "icomon-swan", "inlife-scale", "jks50f-oximeter", "jumper-jpd-500f",
        "keep-s3", "koogeek-s1", "lefu-a0ac", "lefu-ab2a", "lefu-ac27", "mbientlab-metawear",
        "medisana-bs4xx", "medisana-bs4xx-1970", "microbit-accelerometer", "microlife-bp3gy1",
        "movella-dot",
        "movesense", "nonin-3230", "nordic-thingy52", "omron-blood-pressure", "omron-hbf-222t",
        "omron-hbf-702t", "omron-hem-6161t", "omron-hem-6232t", "omron-hem-7142t2",
        "omron-hem-7146t2", "omron-hem-7150t", "omron-hem-7151t", "omron-hem-7155t",
        "omron-hem-7188t1",
        "omron-hem-7320t", "omron-hem-7322t", "omron-hem-7361t", "omron-hem-7380t1",
        "omron-hem-7530t", "omron-hem-7600t", "omron-sig-scale", "pinetime", "polar-h10",
        "polar-verity-sense", "qn-elis-1", "qn-scale", "realme-scale", "renpho-es-26bb",
        "renpho-es-cs20m-broadcast", "renpho-es-cs20m-lefu", "renpho-es-wbe28", "renpho-r-msc04",
        "robi-s9", "runstar-r5", "runstar-r6", "ruuvitag", "salter-sa00656", "sanitas-sbf70",
        "sanitas-sbf72", "scaleup-da", "sensortag-cc2650", "senssun-fat", "senssun-if-b7",
        "sig-blood-pressure", "sig-continuous-glucose", "sig-cycling-power", "sig-cycling-speed",
        "sig-fitness-machine", "sig-glucose", "sig-heart-rate", "sig-physical-activity",
        "sig-pulse-oximeter", "sig-running-speed", "sig-thermometer", "sig-weight-scale",
        "sinocare-scale", "soehnle-shape", "taylor-5331891", "transtek-body-connect",
        "trisa-body-analyze", "viatom-o2ring", "viatom-pc-60fw", "vitafit-vt701",
        "weight-gurus-0376b", "witmotion-bwt901ble", "xiaomi-mi-scale-1", "xiaomi-mi-scale-2",
        "xiaomi-s200", "xiaomi-s400", "xiaomi-s800", "yonker-yk-ibpa1", "yunmai-scale", "yunmai-x",
        "yuwell-yx110",
      ])
  }

  @Test func `have vectors that pass`() throws {
    let results = try Repository.catalog().runVectors()
    #expect(results.count > 40)
    #expect(results.filter { !$0.isPassed } == [])
  }

  /// Every bit of every frame whose record has a checksum is flipped.
  @Test func `read no damaged frame`() throws {
    var count = 0
    for definition in try Repository.catalog().definitions {
      for frame in definition.vectors.flatMap(\.frames) {
        guard case .source(let source, let sound) = frame.content else { continue }
        var decoders = FrameDecoders(definition)
        guard let decoded = try? decoders.decode(sound, from: source),
          let checksum = decoded.record.flatMap({ definition.records[$0].checksum }),
          let places = checksum.places(in: sound.count), !decoded.content.values.isEmpty
        else { continue }
        count += 1
        for place in sound.indices {
          let isCovered = places.covered.contains(place) || place == places.checksum
          for bit in 0..<8 where !isCovered || checksum.mask >> UInt8(bit) & 1 == 1 {
            var damaged = sound
            damaged[place] ^= 1 << UInt8(bit)
            let values = (try? decoders.decode(damaged, from: source))?.content.values ?? []
            // Bytes that are neither checked nor used may change nothing but must change nothing.
            #expect(
              values.isEmpty || !isCovered && values == decoded.content.values,
              "\(definition.id): bit \(bit) of byte \(place)")
          }
        }
      }
    }
    #expect(count > 20)
  }

  @Test func `have files of their names`() throws {
    for file in try Repository.files() {
      let id = try #require(try DeviceCatalog.load([[file]]).definitions.first?.id)
      #expect(file.name == "Devices/\(id).yaml")
    }
  }
}
