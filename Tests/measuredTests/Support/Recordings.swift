import Foundation

/// Recordings that tests play: typed in from documented frames, or synthetic.
enum Recordings {
  static let plan = """
    timeZone: America/Los_Angeles
    patients:
      - {id: john, name: {given: John, family: Appleseed}, expects: {bodyMass: 62 kg}}
    tasks:
      - id: weigh-in
        patient: john
        title: Weigh yourself
        schedule:
          - {start: 2019-10-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: bodyMass, type: discrete, unit: kg}
      - id: pulse
        patient: john
        title: Heart rate
        schedule:
          - {start: 2019-10-01, interval: {days: 1}, duration: allDay}
        linkage: {quantity: heartRate, type: discrete, unit: bpm}
      - id: leaflet
        patient: john
        title: Read the leaflet
        kind: readOnly
        schedule:
          - {start: 2019-10-01, interval: {days: 1}, duration: allDay}
      - id: check-in
        patient: john
        title: How are you
        kind: assessment
        schedule:
          - {start: 2019-10-01T08:00, interval: {days: 1}, duration: 1h}
    """

  static let header =
    #"{"measured-trace":1,"start":"2019-10-30T22:59:00-07:00","adapter":"hci0"}"#

  /// A Mi scale's service data in an advertisement.
  static func miScale(_ t: Double, _ payload: String) -> String {
    let length = String(payload.count / 2 + 3, radix: 16)
    return
      #"{"t":\#(t),"type":"advertisement","address":"5C:CA:D3:70:D4:A2","addressType":"public","#
      + #""rssi":-60,"data":"020106\#(length.count < 2 ? "0" : "")\#(length)161b18\#(payload)"}"#
  }

  /// The real sequence of a weigh-in: moving, stable, removed.
  static let weighIn = [
    header, miScale(0, "0204e3070a1e163b0d00005230"), miScale(44, "0224e3070a1e163b2cfdff3e30"),
    miScale(60, "02a4e3070a1e17000bfdff3e30"),
  ].joined(separator: "\n")

  /// A heart-rate strap for so many seconds.
  static func heartBeats(_ seconds: Int) -> String {
    let address = "A0:9E:1A:00:00:02"
    var lines = [
      header, #"{"t":0,"type":"connected","address":"\#(address)"}"#,
      #"{"t":0.5,"type":"services","address":"\#(address)","services":[{"uuid":"180D","characteristics":[{"uuid":"2A37","properties":["notify"]}]}]}"#,
    ]
    for second in 1...seconds {
      let rate = String(60 + second % 30, radix: 16)
      lines.append(
        #"{"t":\#(second),"type":"value","address":"\#(address)","service":"180D","characteristic":"2A37","data":"16\#(rate)0004"}"#
      )
    }
    return lines.joined(separator: "\n")
  }
}
