package import Care
import Foundation
import Localization
package import Motion

/// Adding a device, or giving it to another person: whose is it, where is it worn.
package struct DeviceFormPage {
  private let frame: Frame
  private let content: Content

  private struct Content {
    let device: String
    let slot: String?
    let address: String
    let heading: String
    let hint: String?
    let people: People?
    let places: Places?
    let back: String
  }

  /// The first question: links to the second.
  private struct People { let personList: [Person] }

  private struct Person {
    let name: String
    let href: String
    let isCurrent: Bool
  }

  /// The second question: each answer binds the device.
  private struct Places {
    let patient: String?
    let placeList: [Place]
  }

  private struct Place {
    let value: String
    let name: String
    let isCurrent: Bool
  }

  /// Reads the page.
  ///
  /// `slot` is the user slot on the device, if it is a slot's; `owner` whose it is to be, a patient's
  /// id or ``everyone``, `nil` to ask; `title` the name of a device that the radio hears.
  ///
  /// - Throws: ``StoreError``.
  package init(
    _ reader: any StoreReader, device: DeviceID, slot: Int?, owner: String?, title: String?,
    viewer: Viewer
  ) throws {
    let words = viewer.language
    let people = try reader.patients()
    let binding = try reader.deviceBindings().first {
      $0.address == device && $0.userIndex == slot
    }
    let name =
      title
      ?? viewer.deviceName(DeviceIdentity(address: device, definition: binding?.definition))
    func address(_ owner: String?) -> LocalAddress {
      LocalAddress(
        "devices", "add",
        items: [("device", device.text), ("slot", slot.map(String.init)), ("owner", owner)])
    }
    let current = binding?.placement?.formText
    content = Content(
      device: device.text, slot: slot.map(String.init), address: name,
      heading: words.text(owner == nil ? "deviceForm.who" : "deviceForm.where"),
      hint: words.text(owner == nil ? "deviceForm.whoHint" : "deviceForm.whereHint"),
      people: owner == nil
        ? People(
          personList: people.map {
            Person(
              name: words.fullName(of: $0), href: address($0.id).description,
              isCurrent: binding?.patient == $0.id)
          } + [
            Person(
              name: words.text("devices.everyone"), href: address(Self.everyone).description,
              isCurrent: binding != nil && binding?.patient == nil)
          ]) : nil,
      places: owner.map { owner in
        Places(
          patient: owner == Self.everyone ? nil : owner,
          placeList: DevicePlace.all.map {
            Place(
              value: $0.text, name: words.name(of: $0),
              isCurrent: binding != nil && $0.text == (current ?? ""))
          })
      }, back: LocalAddress("devices").description)
    frame = Frame(
      viewer: viewer, section: .devices, title: name, address: address(owner))
  }

  /// The owner of a device whose readings say whose they are.
  package static let everyone = "everyone"

  /// The page.
  package func html(_ site: Site) -> String { site.html("deviceform", content, frame: frame) }
}

// MARK: - Places

/// Where a device is worn, as the form offers it.
package struct DevicePlace: Hashable, Sendable {
  /// The placement; `nil` for what is not worn: a scale, a cuff.
  package let placement: Placement?

  /// Every place, those of the legs first.
  package static let all: [DevicePlace] =
    [DevicePlace(placement: nil)]
    + [
      (Joint.knee, Segment.shank), (.knee, .thigh), (.hip, .thigh), (.ankle, .foot),
      (.shoulder, .upperArm), (.elbow, .forearm), (.wrist, .hand),
    ].flatMap { joint, segment in
      Side.allCases.map {
        DevicePlace(placement: Placement(joint: joint, side: $0, segment: segment))
      }
    }
    + [Segment.trunk, .pelvis, .head].map { DevicePlace(placement: Placement(segment: $0)) }

  /// The value in the form: `knee-left-shank`.
  package var text: String { placement?.formText ?? "" }

  /// The place of a form's value.
  package init?(_ text: String) {
    guard let place = Self.all.first(where: { $0.text == text }) else { return nil }
    self = place
  }

  private init(placement: Placement?) { self.placement = placement }
}

extension Placement {
  /// The value in the form: `knee-left-shank`.
  fileprivate var formText: String {
    [joint?.rawValue, side?.rawValue, segment?.rawValue].compactMap(\.self).joined(separator: "-")
  }
}

extension Language {
  /// The words of a place: `left knee, shank`.
  fileprivate func name(of place: DevicePlace) -> String {
    place.placement.flatMap(name) ?? text("deviceForm.notWorn")
  }
}
