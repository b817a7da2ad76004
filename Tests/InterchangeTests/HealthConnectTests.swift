import Care
import Foundation
import Testing

@testable import Interchange

/// The export of Health Connect, as SQLite 3.40 wrote it from statements.
@Suite struct HealthConnectTests {
  /// `Health Connect.zip` with a database of pages of 1 024 bytes: two weights of two apps, a share of fat, a
  /// pressure, a glucose, steps, 80 heart rates on several pages, and a night that is not read.
  static let archive = [UInt8](
    Data(
      base64Encoded: """
        UEsDBBQAAAAIAAAAYlxHnOVb0QgAAAB0AAAYAAAAaGVhbHRoX2Nvbm5lY3RfZXhwb3J0LmRi7Z1rbBTXFcfvYx9eH68x5j
        HmYZg8jO2wgDcONa55eL1ZwMHYjh/CqE2H9XrW3rLeWXbW2FA1AjttU1WtaJWqIIGURAoiRURpkqZIrVR/4AMfTEuqVqGt
        lEatWiIRKUS0KRWJ2js73mvveNahSdpg+/68O8y5985/du6dc+fM8XjpfLwlllblqJYaDKflWuRAGKNGWUYIedm7HE0B7O
        2YZmP2ltDseNHGCHayFUrfN+yl9A79wFwVCASfB4sMzy70sIXHaawS+hai77KFQCCYRxQ5HOwSHtEGN0aGotFS6kBrJcPS
        I+G42mksCjP+/1dEb7GFQCCYf3jpWszdnhbRcpydEhzm9f95RN9gC4FAcI+xgRQinxNjJymgxAI+faHi/ZMOik+/0rL3ZH
        EJbnxtA55qjq1kmtPJzYzma8zr/5tG/P+m6GuBYF6wlPqwdbIgS6jPY50RjOu/m25F9Dq9Qi/Q79Fh2sNMgUDwMax00wbP
        gBpOpZVUOK0qKTWipfqUdLg3rpa7aMCjx1U1qeiqrse0RE71Mif1e/S0mtRzt3KwrXrjmtan9MeHIpqeK7qG0uBkdTLFVI
        dSufVlhNZ5erW+I0o0nM6pkTCtxcNqrH8gt5wY/o/pBGIvgUAwh3l4KvR3UwvW0L9xczRDYcb/32Xxv+g/gWA+Y8T/1nnB
        S28jJ0aIfETP4w7yOlv9Kfv55DS7XdITdRjFEn3qiH4oHmOBUXgorWVshQcnn+pAyOvozGfUJ+1Ol7R+Pd6fiYYmP66uHh
        pSExGr6Qp2hAJdIbkr0NQSki2VVYnwoOpjVvVomLql2lr8VCyjaRN02RQ5crRtGshVKW1YifXJza1doV2hDrm9o3lvoGO/
        vCe0Xw50d7U1tzKJvaHWLt/QEGvW1NLWJHe3Nj/eHfLFw3paGdT6YtGYyuRig2pWxRdOJpVYIqpNU/aZu40l+pVBNT2gTV
        XkbHlUS6iKFo3qapqXxbVIOK70GbFwTlvzeGR2iC0+eWdbR6h5V2vmg1dN2381q98Z6gi1BkOdMiuPxyLhtBE3Z+oznTDZ
        B9XVIYdL2l+b7ySz6T7Fb1PoPL4eu6X6enz8UMa236l9KckZMPs2s42ZT06GIwfD/apinDhyV6inS25tY+/ulpbsuBmyU9
        XVe4hLUurzHbT9R1D89uWUnfoFxvnvxc8gB6pHZDu+herxaXqenr8rxxntKXBLwSB+qi4jOMtdySxVkNOLszSc06e/fkRP
        a2wQTAfoi4Wnm5kZManpMWOEzIGm/ebYdHtcUiyYdyrN31uKf5bKorucoS2CdsUFo+tcbqmuDo8dNEfarpFtoTt34O2azO
        khT6qpiJpIM//OjHI1G81T92RMYN7//wqxl0AgmNPU4KJsBoDgRQ4Lk78tNHIAD31jpLgEHevwi/t/gWDh3P9b5wSR/xcI
        5gfT8/9OC9Ou/eu1a8UljWUTBlfE9V8gWDjXf+u84MWXkAOdReQwuQ+dxRMonPn57GD6oU8tMrqqyC0FAngsYObp8z5Xkb
        +mJDd7n7fdvZB20tPGMyU526sJi2BCS6v6ZL7wRTNf2Ol1Sf2BfIm9/Ies+PPXLe6E2UTzP6uSzUHa1RWP1hSa43lwWobY
        rmX+Gq9N6tiu3ZxOI8bVw2qcZxD3/Q/mBDP+/wFiL4FA8Lnzo2g2jHe+9HW3hdzHeNhy04qekU8K29kKEf8LBAsn/rdOKO
        b1/9eIvQQCwdxmE/ZMxg7EZcEudMBbxPVfIFg413/rrOAl3chlPP/3PHkCfUjYKn31rsSON5a6peZmfPxrmTTLzD+D0tVU
        TNWVu6iVclI5s7eVq5LhlJpIKwfVIzylk31w0terhtO6klRTymAsMZSelj5LapEBVhiPx/RsYfWou8QtNTTgsYo8H3K24m
        Uf86HnUjKxeu9ilxRuyJfky3Nwij9PxXJ63kxIBhe5pH3+vAnJGX/+pvhnli0ZdRW7Jb8fj5kPms5sMbOkNDfXO6N+ruR4
        I9pQgicJjQxgplf3LHFJi2pxJNOLwzbPNZdNHn5z66OhHnlYbmu1e6K8ythVtRn//waxl0AgmPP4cMHkLUCBBbs7ABH/Cw
        QLJ/63zgnOjP/fMarLzX8EAsHCYHXQ/P6vG4h+wBYCgWC+UkjZXUHmiwKJhzo95l0AK185IhAIFiTM/1eJXhAIFqz/I9EL
        AsE94Yr/d4zf/wXRKeP///gb/T2doL+kr9AX6En6HfokPUT76D76GN1Ga+gDdDn1kA/Je+TP5HfkMvk5eYk8R54h3yJHyS
        A5QDrJTlJPfGQtKSVOfBvfwG/hN/Al/DP8Y3wGn8Bj+DCO4S/jNtyEN+MqvAoXY4z+jq6jP6AraBy9is7mfEUKBB0e7NzB
        7lLW3RqAJsPYbhjvHYOAYWwzjBsnodEwthrG9Zdhh2E0GcZfLsN2wwgYxp/ehm2G0WgYf7wNW7n0tRJo4NK/rYIvcumrjV
        DPpSd6YAuXvpyEOi596Wn4ApcefxY2c+lfXIRHuPTFq1DLpV97Bx7m0j9B4OfSF8qghku/WAObuPQLu2Ejl37uAGzg0mdG
        wMelT52A9Vz6h+fgIS79/XGo5tLfvQZVXPrbN6GSS3+zANZx6VEZKrj0k1vgQS59tB0e4NKHB+B+Lp06Bvdx6cRJkLn0V1
        +GtVw6ehnWcOnet6GcS3/lNqzm0l8qgVVcel8VrOTSnY2wgku39UAZl96TBIlL73oalnPp4LOwjEvvuAhLuXTDVVjCpeve
        gVIu/QiCxVy6pgxKuLSvBhZx6ardUMylHzwAXi4tj0ARl159AoBLl52DQi69dBw8XLrkGhRw6aKb4ObSngJwcWmnDE4ujb
        eAIytd8VE70Kx0xb8GgGSlK/5xDHBWmt3/G/7vpftm8X+ROBEI/kugPet9letqoC3rfZX374bWrPdVrjkAe7OOXblyBFqy
        jl25/ATsyTp2Zek5eCzr2JXF49DMpQuvwW4u7boJu7g0LYCdfM74twwhPmfc2QKP8jnjn+3/AVBLAQIUAxQAAAAIAAAAYl
        xHnOVb0QgAAAB0AAAYAAAAAAAAAAAAAACAAQAAAABoZWFsdGhfY29ubmVjdF9leHBvcnQuZGJQSwUGAAAAAAEAAQBGAAAA
        BwkAAAAA
        """, options: .ignoreUnknownCharacters) ?? Data())

  /// The database by itself.
  static func database() throws -> [UInt8] {
    let bytes = MemoryBytes(archive, name: "file")
    let entry = try #require(try ZipDirectory(bytes).entries.first)
    var source = try HistoryPart(bytes: bytes, entry: entry).open()
    var database: [UInt8] = []
    while case let block = try source.next(), !block.isEmpty { database += block }
    return database
  }

  @Test func `records have their values, times, apps and identities`() throws {
    for bytes in [Self.archive, try Self.database()] {
      let file = try HistoryFile(MemoryBytes(bytes, name: "file"), copy: Self.copy)
      var entries: [HistoryEntry] = []
      try file.read { entries += $0.entries }
      #expect(file.kinds == [.healthConnect])
      let says = entries.filter { !$0.isStreamed }.map { entry in
        "\(entry.source) " + HistorySamples.line(entry) + (entry.isTyped ? " typed" : "")
      }
      #expect(
        says.sorted() == [
          "com.cuff 2026-03-02T06:09:31Z bloodPressureDiastolic 82",
          "com.cuff 2026-03-02T06:09:31Z bloodPressureSystolic 128",
          "com.cuff 2026-03-02T06:10:31Z bloodGlucose 6.2",
          "com.cuff 2026-03-03T06:04:31Z bodyMass 82.1 typed",
          "com.scale 2026-03-02T06:04:31Z bodyFatPercentage 21.4~",
          "com.scale 2026-03-02T06:04:31Z bodyMass 81.95",
          "com.scale 2026-03-02T06:04:31Z stepCount 312",
        ])
      #expect(
        entries.first { $0.value == 81.95 }?.id == String(repeating: "01", count: 16))
      let rates = entries.filter(\.isStreamed)
      #expect(rates.count == 80)
      #expect(rates.allSatisfy { $0.quantity == .heartRate && $0.id == nil })
      #expect(rates.last.map(HistorySamples.line) == "2026-03-02T06:05:50Z heartRate 62")
    }
  }

  /// Where a copy of a database is for a moment.
  static var copy: String {
    FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
  }

  @Test func `no copy, no database`() throws {
    #expect(throws: HistoryError(file: "file", .unknownLayout(.database))) {
      _ = try HistoryFile(MemoryBytes(try Self.database(), name: "file"), copy: nil)
    }
    #expect(throws: HistoryError(file: "file", .readFailure(reason: "No such file or directory"))) {
      _ = try HistoryFile(MemoryBytes(try Self.database(), name: "file"), copy: "/nowhere/copy")
    }
  }

  /// The tables of another program's database are none of a history.
  @Test func `another database is none`() throws {
    var other = try Self.database()
    let name = Array("_record_".utf8)
    for place in 0..<other.count - name.count where other[place...].starts(with: name) {
      other[place + 1] = UInt8(ascii: "w")
    }
    #expect(throws: HistoryError(file: "file", .unknownLayout(.database))) {
      _ = try HistoryFile(MemoryBytes(other, name: "file"), copy: Self.copy)
    }
  }

  @Test func `a database that is cut is damaged`() throws {
    let whole = try Self.database()
    for count in stride(from: whole.count - 1024, to: 100, by: -500) {
      #expect(throws: HistoryError(file: "file", .database(.damaged))) {
        let file = try HistoryFile(
          MemoryBytes(Array(whole.prefix(count)), name: "file"), copy: Self.copy)
        try file.read { _ in }
      }
    }
  }
}
