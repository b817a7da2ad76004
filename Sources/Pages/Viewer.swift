package import Actions
package import Foundation
package import Localization

/// Who looks at a page: in which language, at whom, when and where.
package struct Viewer: Sendable {
  /// The language.
  package var language: Language
  /// The id of the patient whose page it is; `nil` for everyone's.
  package var patient: String?
  /// The current time.
  package var now: Date
  /// The zone of days and times.
  package var timeZone: TimeZone
  /// The names of device definitions for people, by id; one that is missing is made of its id.
  package var deviceNames: [String: String]
  /// The person who signed in; `nil` where nobody has to.
  package var account: Account?
  /// Whether sensors can be read here, so that a person can measure.
  package var canMeasure = false
  /// Whether boxes bring what is measured here, and no sensor is near.
  package var isCentre = false
  /// Whether everything is made up, at a time that is not now.
  package var isDemo = false
  /// Whether devices can be paired here.
  package var canPair = false
  /// The knowledge of earlier pages of whose the weighings are.
  package var weighings = WeighingMemory()
  /// The rights of the person: buttons for the rest are not shown.
  package var rights = Set(Right.allCases)

  /// Something that a page offers to some of its readers only.
  package enum Right: Hashable, Sendable, CaseIterable {
    /// Answer tasks and write messages.
    case answer
    /// Import other programs' files, of everyone.
    case add
    /// Correct, delete and assign samples.
    case correct
    /// See and change the tasks and people of the set-up.
    case plan
    /// Read and replace the whole plan, of everyone.
    case wholePlan
    /// Read what is everyone's.
    case readAll
    /// Add, bind and remove devices.
    case devices
    /// Accounts, tokens, the audit log.
    case administer
  }

  /// A person who signed in.
  package struct Account: Hashable, Sendable {
    /// The person's name.
    package var name: String
    /// The token that the forms of the person's pages carry.
    package var formToken: String

    /// Makes an account.
    package init(name: String, formToken: String) {
      self.name = name
      self.formToken = formToken
    }
  }

  /// Whether the person may do this.
  func may(_ right: Right) -> Bool { rights.contains(right) }

  /// Makes a viewer.
  package init(
    language: Language, patient: String?, now: Date, timeZone: TimeZone,
    deviceNames: [String: String] = [:]
  ) {
    self.deviceNames = deviceNames
    self.language = language
    self.patient = patient
    self.now = now
    self.timeZone = timeZone
  }
}

/// A local address: a path with its query.
package struct LocalAddress: Hashable, Sendable, CustomStringConvertible {
  /// The path, percent-encoded.
  package var path: String
  /// The items of the query, in order.
  package var items: [Item]

  /// A name of the query with its value.
  package struct Item: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }

  /// Makes an address.
  ///
  /// - Parameters:
  ///   - segments: The parts of the path, not encoded.
  ///   - items: The query; items without a value are left out.
  package init(_ segments: String..., items: [(String, String?)] = []) {
    path = segments.map { "/" + Self.encoded($0) }.joined()
    self.items = items.compactMap { name, value in value.map { Item(name, $0) } }
  }

  /// The same address with another value of `name`, or without it for `nil`.
  package func setting(_ name: String, _ value: String?) -> LocalAddress {
    var address = self
    address.items.removeAll { $0.name == name }
    if let value { address.items.append(Item(name, value)) }
    return address
  }

  /// The address as a link has it.
  package var description: String {
    guard !items.isEmpty else { return path }
    return path + "?"
      + items.map { Self.encoded($0.name) + "=" + Self.encoded($0.value) }.joined(separator: "&")
  }

  /// Every byte but the unreserved ones of RFC 3986 percent-encoded.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF")
    return text.utf8.reduce(into: "") { result, byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
        UInt8(ascii: "_"), UInt8(ascii: "~"):
        result.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        result += "%" + String(digits[Int(byte >> 4)]) + String(digits[Int(byte & 15)])
      }
    }
  }
}
