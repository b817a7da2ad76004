import Foundation
import Testing

@testable import Terminal

/// `decode -`, and the reasons why a frame has no reading.
@Suite struct DecodeStreamTests {
  private static let tag =
    #"{"address":"CB:B8:33:4C:88:4F","t":1.5,"data":"0201061bff99040512FC5394C37C0004FFFC040CAC364200CDCBB8334C884F"}"#
  private static let scale = "0201061b1695fe4859d53b0abc078ff2348c844138e930220000009e538599"

  @Test func `decodes lines without a plan`() async throws {
    let lines = [
      #"{"measured-trace":1,"start":"2026-11-20T07:09:50-08:00"}"#, Self.tag, "",
      #"{"t":2,"type":"connected","address":"CB:B8:33:4C:88:4F"}"#,
      #"{"characteristic":"2A37","data":"0048","unused":{"x":[1]}}"#,
    ]
    let result = await InProcess.run(["decode", "-"], input: lines.joined(separator: "\n"))
    #expect(result.status == 0)
    #expect(result.error == "")
    let objects = result.objects
    #expect(objects.count == 9)
    #expect(objects.first?["quantity"] as? String == "airTemperature")
    #expect(objects.first?["value"] as? Double == 24.3)
    #expect(objects.first?["definition"] as? String == "ruuvitag")
    #expect(objects.first?["address"] as? String == "CB:B8:33:4C:88:4F")
    #expect(objects.first?["t"] as? Double == 1.5)
    #expect(objects.last?["quantity"] as? String == "heartRate")
    #expect(objects.last?["value"] as? Double == 72)
  }

  /// As the vectors of definitions have them, and as people paste them.
  @Test(arguments: [
    #"{"characteristic":"2A37","hex":"00 48"}"#, #"{"characteristic":"2A37","data":"00 48"}"#,
    #"{"characteristic":"2A37","hex":"0048","values":[{"value":72}]}"#,
  ])
  func `reads a vector`(line: String) async throws {
    let result = await InProcess.run(["decode", "-"], input: line + "\n")
    #expect(result.objects.map { $0["value"] as? Double } == [72])
    #expect(result.error == "")
  }

  @Test func `reads bytes with spaces`() async throws {
    let result = await InProcess.run(["decode", "2A37", "00", "48"])
    #expect(result.objects.map { $0["value"] as? Double } == [72])
  }

  @Test(
    arguments: [
      (#"{"data":"0201061aff4c000215"}"#, 4, "no definition matches the device"),
      (#"{"data":"\#(scale)"}"#, 3, "the frame is encrypted; add --key"),
      (#"{"data":"02010603021b1810161b180204ea070b140709320000d02f"}"#, 0, "has no measurement"),
      (#"{"data":"zz"}"#, 1, "‘data’ is not whole bytes in hex"),
      (#"{"address":"zz","data":"00"}"#, 1, "‘zz’ is no Bluetooth address"),
      ("hello", 1, "not valid JSON"),
      (#"{"address":"CB:B8:33:4C:88:4F"}"#, 1, "‘data’ is missing"),
    ] as [(String, Int32, String)])
  func `says why there is no reading`(line: String, status: Int32, words: String) async throws {
    let result = await InProcess.run(["decode", "-"], input: line + "\n")
    #expect(result.status == status)
    #expect(result.output == "")
    #expect(result.error.contains(words), "\(result.error)")
  }

  @Test(
    arguments: [
      (["0201061aff4c00020102030405060708091011121314151617181920c5"], 4),
      ([scale], 3), ([scale, "--key", "00112233445566778899aabbccddeeff"], 3),
      ([scale, "--key", "zz"], 2), ([scale, "--address", "zz"], 2),
      (["02010603021b1810161b180204ea070b140709320000d02f"], 0),
    ] as [([String], Int32)])
  func `says why an advertisement has no reading`(arguments: [String], status: Int32) async throws {
    let result = await InProcess.run(["decode", "--advertisement"] + arguments)
    #expect(result.output == "")
    #expect(result.error.contains("measured: "), "\(result.error)")
    if !arguments[0].hasPrefix("0201061aff") { #expect(result.status == status) }
  }

  /// Makers share characteristics: what a frame says depends on the device, which advertised before.
  @Test func `reads frames by the device that advertised`() async throws {
    let advertisement =
      #"{"address":"FF:04:00:13:AA:01","data":"02010612ffffff095b01000001aa130004ff6008030001"}"#
    let hex = "100efffe021d4701f901f700d245"
    let frame = #"{"address":"FF:04:00:13:AA:01","characteristic":"FFE1","hex":"\#(hex)"}"#
    let known = await InProcess.run(["decode", "-"], input: advertisement + "\n" + frame)
    #expect(known.objects.map { $0["value"] as? Double } == [74.95, 505])
    #expect(known.objects.map { $0["definition"] as? String } == ["qn-scale", "qn-scale"])
    let chosen = await InProcess.run(["decode", "-", "--device", "qn-scale"], input: frame)
    #expect(chosen.objects.map { $0["value"] as? Double } == [74.95, 505])

    let unknown = await InProcess.run(["decode", "-"], input: frame + "\n")
    #expect(unknown.output == "")
    #expect(unknown.status == 4)
    #expect(unknown.error.contains("several definitions read FFE1"), "\(unknown.error)")
  }

  @Test(
    arguments: [
      // A reply of a memory: its records follow a head.
      (
        "omron-hem-7361t", "49123040-AEE8-11E1-A74D-0002A5D5C51B",
        "1881000098106558541a331ade180000"
      ),
      // Of a record that is ignored.
      ("cult-smart-scale-pro", "FFF4", "be01"),
    ])
  func `a frame without a measurement is none`(device: String, uuid: String, hex: String)
    async throws
  {
    let line = #"{"characteristic":"\#(uuid)","hex":"\#(hex)"}"#
    let result = await InProcess.run(["decode", "-", "--device", device], input: line + "\n")
    #expect(result.output == "")
    #expect(result.status == 0)
    #expect(result.error.contains("has no measurement"), "\(result.error)")
  }

  @Test func `says what is wrong with the first damaged frame`() async throws {
    let frame = #"{"characteristic":"FFE1","hex":"100efffe021d4701f901f700d246"}"#
    let result = await InProcess.run(["decode", "-", "--device", "qn-scale"], input: frame)
    #expect(result.status == 1)
    #expect(result.output == "")
    #expect(
      result.error.contains("qn-scale: the frame is malformed: the checksum"), "\(result.error)")
  }

  @Test func `goes on behind a bad line`() async throws {
    let result = await InProcess.run(["decode", "-"], input: "x\n\(Self.tag)\ny\n")
    #expect(result.status == 1)
    #expect(result.objects.count == 8)
    #expect(result.error.contains("(and 1 more such line)"))
  }
}

/// `measure steps` by minute and bout, and its drawing.
@Suite struct MeasureStepsCommandTests {
  @Test func `counts by minute and bout`() async throws {
    let minutes = await InProcess.run(
      ["measure", "steps", "Examples/walk.csv", "--by", "minute", "--csv"])
    #expect(
      minutes.lines == [
        "file,start,time,steps", "Examples/walk.csv,0,,100", "Examples/walk.csv,60,,19",
      ])
    let bouts = await InProcess.run(
      ["measure", "steps", "Examples/walk.csv", "--by", "bout", "--json"])
    let bout = (bouts.objects.first?["bouts"] as? [[String: Any]])?.first
    #expect(bout?["steps"] as? Int == 119)
    #expect(bout?["cadence"] as? Int == 109)
    let text = await InProcess.run(["measure", "steps", "Examples/walk.csv"])
    #expect(text.lines == ["Examples/walk.csv: 119 steps in 1:15"])
  }

  @Test func `draws the signal`() async throws {
    let folder = try TemporaryFolder()
    let plot = folder.path("walk.svg")
    let result = await InProcess.run(
      ["measure", "steps", "Examples/walk.csv", "--plot", plot])
    #expect(result.status == 0, "\(result.error)")
    let svg = try String(contentsOfFile: plot, encoding: .utf8)
    // A drawing takes the place of an earlier one, and of nothing else.
    #expect(
      await InProcess.run(["measure", "steps", "Examples/walk.csv", "--plot", plot]).status
        == 0)
    let file = try folder.write("t,x,y,z\n", to: "walk.csv.svg")
    for place in [file, folder.path("walk.png"), folder.url.path + "/none/walk.svg"] {
      let refused = await InProcess.run(
        ["measure", "steps", "Examples/walk.csv", "--plot", place])
      #expect(refused.status != 0 && !refused.error.contains("NSCocoa"), "\(refused.error)")
    }
    #expect(try String(contentsOfFile: file, encoding: .utf8) == "t,x,y,z\n")
    #expect(svg.hasPrefix("<svg xmlns=\"http://www.w3.org/2000/svg\""))
    #expect(svg.contains("<desc>119 steps, bouts of walking: 1</desc>"))
    #expect(svg.components(separatedBy: "class=\"mark\"").count == 120)
  }

  @Test func `says what makes the quality low`() async throws {
    let rows = (0..<500).map { index in
      "\(index % 10 == 9 ? index - 5 : index)e-2,0,0,1"
    }
    let result = await InProcess.run(
      ["measure", "steps", "-"],
      input: "t,x,y,z\n" + rows.joined(separator: "\n") + "\n")
    #expect(result.output.contains("; low quality: 50 samples out of order"), "\(result.output)")
  }

  @Test func `names the flag for another unit`() async throws {
    let rows = (0..<100).map { "\(Double($0) / 50),0,0,9.81" }.joined(separator: "\n")
    let result = await InProcess.run(
      ["measure", "steps", "-"], input: "t,x,y,z\n" + rows + "\n")
    #expect(result.status == 1)
    #expect(result.error.contains("looks like m/s2; add --unit m/s2"), "\(result.error)")
  }

  /// An S400 that is idle sends its address only, which must be that of the sender.
  @Test(arguments: [
    ("CF:00:00:00:00:01", 0, "no measurement"), ("CF:00:00:00:00:02", 1, "address"),
  ])
  func `the address reaches every check`(address: String, status: Int32, words: String) async {
    let result = await InProcess.run(
      ["decode", "FE95", "305ad53b000100000000cf08", "--address", address])
    #expect(result.status == status && result.output == "")
    #expect(result.error.contains(words))
  }

  @Test func `says that a cuff could not measure`() async {
    let result = await InProcess.run(["decode", "2A35", "16ff07ff07ff07e80706170e230aff070000"])
    #expect(result.status == 0 && result.output == "")
    #expect(result.error.contains("could not measure the blood pressure"))
  }

  /// A definition may read a characteristic, and not this frame of it.
  @Test func `does not say of a frame that its characteristic is not read`() async {
    let other = await InProcess.run(
      ["decode", "FFE1", "e79900006414dc0100000005", "--device", "sanitas-sbf70"])
    #expect(other.status == 1)
    #expect(other.error.contains("no frame that is known of characteristic FFE1"))
    let unread = await InProcess.run(["decode", "FFE2", "00", "--device", "sanitas-sbf70"])
    #expect(unread.status == 4 && unread.error.contains("does not read"))
  }

  /// Frames that people have published, and what they say.
  @Test(
    arguments: [
      ("2A35", "566a0047000000ea07080b121f00003f000000", nil, [106, 71, 63]),
      ("2A35", "167c0056006100e807060f11111b33000000", nil, [124, 86, 97, 51]),
      ("2A18", "1b0f00e807011e053a1b53016fb0f80000", nil, [111]),
      ("2AA7", "0d4373002c010324001a003e04", nil, [115]),
      ("2A37", "167310020d02", nil, [115, 0.515625, 0.512695313]),
      ("2A53", "009101bb", nil, [1.5664063, 187]),
      ("2A53", "035c03a18200f6090000", nil, [3.359375, 161, 255]),
      ("181D", "a29e43e507040b100534", nil, []), ("181D", "229e43e507040b101301", nil, [86.55]),
      ("FFF1", "2313ff0101f0e750b531212f01f801f6000084", "qn-scale", [84.95, 504]),
      ("FFF1", "100eff0102214d0000000000008e", "qn-scale", [85.25]),
      ("FFF1", "100eff0100214d0000000000008c", "qn-scale", []),
      ("FFF1", "2313ff0000000efd9c3100000000000000000d", "qn-scale", []),
      ("FFE4", "0d1f14020059c6152f23d0b632269500a508f237", nil, [98.77, 165]),
      ("FFB2", "ab2a808cf81600000000000000000000000ad519", nil, [63.51]),
      ("FF01", "03535700082942680000012c61", nil, [85, 300, 97]),
      ("FFF1", "a5029d1000d80161a100e8160100000dc0986a000101", "etekcity-esf-551", []),
    ] as [(String, String, String?, [Double])])
  func `decodes real frames`(
    characteristic: String, frame: String, device: String?, values: [Double]
  ) async {
    let named = device.map { ["--device", $0] } ?? []
    let result = await InProcess.run(["decode", characteristic, frame] + named)
    #expect(result.status == 0)
    #expect(result.objects.map { $0["value"] as? Double } == values)
  }

  /// Of a device that only seems to keep to the standard.
  @Test func `refuses what contradicts itself`() async {
    let result = await InProcess.run(
      ["decode", "2A35", "fe202700750055005f00e407091810093a690001"])
    #expect(result.status == 1 && result.output == "")
    #expect(result.error.contains("contradict each other"))
  }
}
