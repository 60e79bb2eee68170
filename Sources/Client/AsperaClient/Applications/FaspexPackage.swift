// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

public import StorageAuth

/// A package that has been sent with Faspex.
public struct FaspexPackage: Sendable, Hashable, Identifiable {
  /// The ID of the package.
  public let id: String
  /// The title of the package.
  public let title: String
  /// The sender's message, or `nil` if there is none.
  public let note: String?
  /// The name of the sender, or `nil` if Faspex does not report it.
  public let sender: String?
  /// The names of the recipients.
  public let recipients: [String]
  /// The state of the upload, such as `submitted` or `completed`, or `nil` if Faspex does not report it.
  public let uploadStatus: String?
  /// The time at which the package was created, or `nil` if Faspex does not report it.
  public let created: Timestamp?

  init(_ document: JSONValue) throws(StorageError) {
    guard let id = document["id"]?.code, !id.isEmpty else { throw .malformedResponse("a package has no id") }
    self.id = id
    title = document["title"]?.string ?? ""
    note = document["note"]?.nonemptyString
    sender = document["sender"]?["name"]?.string
    let recipientList = document["recipients"] ?? .null
    guard let elements = recipientList == .null ? [] : recipientList.array else {
      throw .malformedResponse("the recipients are not a list")
    }
    recipients = elements.compactMap { $0["name"]?.string }
    uploadStatus = document["upload_status"]?.string
    created = document["created_time"]?.string.flatMap { Timestamp(iso8601: $0) }
  }
}

/// A box of packages in Faspex.
public struct FaspexBox: Sendable, Hashable, CustomStringConvertible {
  /// The name of the box in paths of the API.
  public let name: String

  /// The packages that the user received directly.
  public static let inbox = FaspexBox(name: "inbox")
  /// The packages that the user received directly, through workgroups or through shared inboxes.
  public static let allReceived = FaspexBox(name: "inbox_all")
  /// The packages that the user sent.
  public static let outbox = FaspexBox(name: "outbox")

  /// The name of the box in paths of the API.
  public var description: String { name }

  /// The value of the parameter `type` in a request to download a package of the box.
  var downloadType: String { self == .outbox ? "sent" : "received" }
}

/// A package that has not been created yet.
public struct PackageDraft: Sendable, Hashable {
  /// A recipient of a package.
  public struct Recipient: Sendable, Hashable, ExpressibleByStringLiteral {
    /// The name of the recipient: for users, the user name or the e-mail address.
    public var name: String
    /// The type of the recipient: `user`, `external_user`, `workgroup`, `shared_inbox` or `distribution_list`.
    public var type: String

    /// Creates a recipient; the parameters are the properties.
    public init(_ name: String, type: String = "user") {
      self.name = name
      self.type = type
    }

    /// Creates a recipient that is a user.
    public init(stringLiteral name: String) { self.init(name) }
  }

  /// The title of the package.
  public var title: String
  /// The recipients of the package, at least one.
  public var recipients: [Recipient]
  /// The message to the recipients, or `nil` for none.
  public var note: String?

  /// Creates a draft; the parameters are the properties.
  public init(title: String, recipients: [Recipient], note: String? = nil) {
    self.title = title
    self.recipients = recipients
    self.note = note
  }

  var document: JSONValue {
    var document: JSONObject = [
      "title": .string(title),
      "recipients": .array(recipients.map { ["name": .string($0.name), "recipient_type": .string($0.type)] }),
    ]
    document["note"] = note.map { .string($0) }
    return .object(document)
  }
}
