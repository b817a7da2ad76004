/// The relation of a person to the patients of a box.
package enum Role: String, Hashable, Sendable, Codable, CaseIterable {
  /// A patient: reads their own day and values, and answers their own tasks.
  case patient
  /// A relative or nurse who helps patients: everything of theirs, and the unassigned tray.
  case carer
  /// A person who treats patients: reads, changes nothing.
  case provider
  /// The person who looks after the box: everything.
  case administrator

  /// The permissions of the role, for the patients that an account concerns.
  package var permissions: Set<Permission> {
    switch self {
    case .patient: [.read, .answer]
    case .carer: [.read, .answer, .add, .correct, .plan, .devices]
    case .provider: [.read]
    case .administrator: Set(Permission.allCases)
    }
  }
}

/// One thing that a role or a token permits; a token's scopes are a set of these.
package enum Permission: String, Hashable, Sendable, Codable, CaseIterable {
  /// Read events, samples, insights, messages and reports.
  case read
  /// Answer tasks, measure, and undo an answer.
  case answer
  /// Send measurements of a phone or of another program, and replace what the sender itself sent;
  /// a token with it alone reads nothing.
  case add
  /// Correct, delete and restore samples; assign those of the tray.
  case correct
  /// Change tasks and plans.
  case plan
  /// Add, pair, calibrate and remove devices.
  case devices
  /// Accounts, tokens, set-up, backup, the audit log.
  case administer
}

/// Some or all of a box's patients.
package enum PatientScope: Hashable, Sendable {
  /// Every patient, also those added later.
  case all
  /// The patients with these ids; may be empty.
  case only(Set<String>)

  /// Whether the patient is one of them.
  package func contains(_ patient: String) -> Bool {
    switch self {
    case .all: true
    case .only(let patients): patients.contains(patient)
    }
  }

  /// The patients that are in both.
  package func intersection(_ other: PatientScope) -> PatientScope {
    switch (self, other) {
    case (.all, let scope), (let scope, .all): scope
    case (.only(let first), .only(let second)): .only(first.intersection(second))
    }
  }
}

extension PatientScope: Codable {
  /// Reads the name `"all"` or a list of ids without repetition.
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let name = try? container.decode(String.self) {
      guard name == "all" else {
        throw DecodingError.dataCorruptedError(in: container, debugDescription: "no patients")
      }
      self = .all
      return
    }
    let patients = try container.decode([String].self)
    guard Set(patients).count == patients.count else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "repeated")
    }
    self = .only(Set(patients))
  }

  /// Writes the name `"all"`, or the ids in their order.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .all: try container.encode("all")
    case .only(let patients): try container.encode(patients.sorted())
    }
  }
}

// MARK: - Decision

/// The data that a request is about.
package enum Target: Hashable, Sendable {
  /// One patient's tasks, samples and messages.
  case patient(String)
  /// The samples that belong to no patient yet.
  case tray
  /// Everything that belongs to no patient: devices, set-up, figures of all patients together.
  case box
}

/// The rights of an account or a token: some permissions, for some patients.
package struct Grant: Hashable, Sendable {
  /// The permissions.
  package let permissions: Set<Permission>
  /// Whose data it concerns.
  package let patients: PatientScope

  /// Makes a grant.
  package init(_ permissions: Set<Permission>, _ patients: PatientScope) {
    self.permissions = permissions
    self.patients = patients
  }

  /// Everything: what the Unix socket, which the system protects, permits.
  package static let everything = Grant(Set(Permission.allCases), .all)

  /// Whether `permission` is granted on `target`.
  ///
  /// - A patient: if it is one of ``patients``.
  /// - The tray: reading and assigning take `correct`, because an unassigned sample may be any
  ///   patient's. Assigning it takes `correct` on the patient as well; ask for both.
  /// - The box: `devices`, for the actions then ask about each patient of a device; everything else
  ///   for a grant of all patients only.
  package func permits(_ permission: Permission, on target: Target) -> Bool {
    guard permissions.contains(permission) else { return false }
    switch target {
    case .patient(let patient):
      return patients.contains(patient)
    case .tray:
      return [.read, .correct].contains(permission) && permissions.contains(.correct)
        && patients != .only([])
    case .box:
      return patients == .all || permission == .devices && patients != .only([])
    }
  }

  /// The rights that both permit: a token never permits more than the account that made it.
  package func intersection(_ other: Grant) -> Grant {
    Grant(
      permissions.intersection(other.permissions), patients.intersection(other.patients))
  }
}
