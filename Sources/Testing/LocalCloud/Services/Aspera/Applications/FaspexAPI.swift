// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import CredentialSources
internal import StorageAuth

/// The simulated API of Faspex 5, with the paths, members and error codes of IBM's description of the API.
struct FaspexAPI: APIHandler {
  static let root = "/aspera/faspex"
  let endpoint = LocalCloud.Endpoint.faspex
  private let isConfigured: Bool
  let aspera: AsperaContext
  let node: NodeAPI
  private let assertionCheck: AssertionCheck
  private let tokens = ExpiringTable<AccessToken>(capacity: AccessToken.capacity)

  init(_ faspex: LocalCloud.Faspex?, _ aspera: AsperaContext, _ node: NodeAPI) {
    isConfigured = faspex != nil
    self.aspera = aspera
    self.node = node
    assertionCheck = AssertionCheck(
      clients: faspex?.clients ?? [], users: faspex?.users ?? [], rules: faspex?.rules ?? LocalCloud.GrantRules(),
      subjectPrefix: "user:", errorResponse: { ErrorResponse(ofFaspex: $0) })
  }

  func response(to call: InboundCall) async throws -> Answer {
    // Without the two segments of the root.
    let segments = call.path.words(between: "/").map(String.init).dropFirst(2)
    guard isConfigured else { throw ErrorResponse.unknownFaspexRoute }
    if Array(segments) == ["auth", "token"] { return try tokenResponse(to: call) }
    guard segments.starts(with: ["api", "v5"]) else { throw ErrorResponse.unknownFaspexRoute }
    guard call.request.headerFields[.authorization] != nil else {
      throw ErrorResponse(.unauthorized, "2002", "Add an HTTP authorization header to your request.")
    }
    guard let token = tokens.token(in: call) else {
      throw ErrorResponse(.unauthorized, "2001", "Check that you provided the correct credentials and try again.")
    }
    guard token.expiration > call.date else { throw ErrorResponse(.unauthorized, "2005", "Your token has expired.") }
    return try packageResponse(to: call, Array(segments.dropFirst(2)), as: token.user)
  }

  func response(for error: ErrorResponse, to call: InboundCall) -> Answer {
    let document: JSONValue = [
      "status": .string(error.status.reasonPhrase), "code": .string(error.code), "message": .string(error.message),
      "trace": .string(call.requestID),
    ]
    return Answer(document, error.status)
  }

  private func tokenResponse(to call: InboundCall) throws -> Answer {
    let (request, user) = try assertionCheck.verifyGrant(in: call)
    let expiration = call.date.advanced(by: assertionCheck.rules.tokenLifetime)
    let token = Self.accessToken(for: user, request.client, until: expiration, at: call.date)
    tokens.add(token, AccessToken(user: user, expiration: expiration), at: call.date)
    aspera.cloud.counters.count(endpoint) { $0.issued += 1 }
    let document: JSONValue = [
      "token_type": "bearer", "access_token": .string(token), "expiration_date": .string(expiration.iso8601),
      "refresh_token": "not_supported",
    ]
    return Answer(document, .created)
  }

  /// Returns a JSON Web Token with a random signature, because the server looks tokens up in its table.
  private static func accessToken(
    for user: LocalCloud.OAuthUser, _ client: LocalCloud.OAuthClient, until expiration: Timestamp, at date: Timestamp
  ) -> String {
    let claims: JSONValue = [
      "sub": .string("user:\(user.email)"), "aud": .string(client.id), "exp": .integer(expiration.unixSeconds),
      "iat": .integer(date.unixSeconds),
    ]
    let header: JSONValue = ["alg": "RS256", "typ": "JWT"]
    return "\(header.serialized.base64URL).\(claims.serialized.base64URL).\(RandomText.alphanumerics(64))"
  }

  private static let boxes = [
    "inbox", "inbox_history", "inbox_all", "inbox_all_history", "outbox", "outbox_history", "all",
  ]
  private static let pageLimit = 1_000

  /// Performs a request about packages; `segments` are those of the path after `api/v5`.
  private func packageResponse(
    to call: InboundCall, _ segments: [String], as user: LocalCloud.OAuthUser
  ) throws -> Answer {
    switch (call.request.method, segments.count) {
    case (.post, 1) where segments[0] == "packages": return try create(document(of: call), as: user, at: call.date)
    case (.get, 1) where segments[0] == "packages": return try list("all", call, for: user)
    case (.get, 2) where segments[1] == "packages" && Self.boxes.contains(segments[0]):
      return try list(segments[0], call, for: user)
    case (.get, 2) where segments[0] == "packages": return Answer(document(of: try package(segments[1], for: user)))
    case (.get, 3) where segments[0] == "packages" && segments[2] == "upload_details":
      return Answer(["upload_status": .string(try package(segments[1], for: user).uploadStatus.rawValue)])
    case (.post, 4) where segments[0] == "packages" && segments[2] == "transfer_spec":
      guard call["transfer_type"] == "connect" else { throw Self.invalid("transfer_type") }
      let package = try package(segments[1], for: user)
      switch segments[3] {
      case "upload": return try upload(document(of: call), to: package, as: user, at: call.date)
      case "download": return try download(call, from: package, as: user)
      default: throw ErrorResponse.unknownFaspexRoute
      }
    default: throw ErrorResponse.unknownFaspexRoute
    }
  }

  private func create(_ document: JSONValue, as user: LocalCloud.OAuthUser, at date: Timestamp) throws -> Answer {
    guard let title = document["title"]?.string, !title.isEmpty else { throw Self.missing("title") }
    guard let elements = document["recipients"]?.array, !elements.isEmpty else { throw Self.missing("recipients") }
    let recipients = try elements.map { element -> LocalCloud.OAuthUser in
      guard let name = element["name"]?.string,
        let recipient = assertionCheck.users.first(where: { $0.email.isIdentical(to: name) })
      else { throw ErrorResponse(.notFound, "1151", "Check your recipients. The recipient could not be found.") }
      return recipient
    }
    let package = try aspera.packages.add(where: { try aspera.files.entry(at: $0) == nil }) { id in
      FaspexPackage(
        id: id, title: title, note: document["note"]?.string ?? "", sender: user, recipients: recipients, created: date)
    }
    guard let package else { throw ErrorResponse(.badRequest, "1030", "There are too many packages.") }
    return Answer(self.document(of: package), .created)
  }

  private func package(_ id: String, for user: LocalCloud.OAuthUser) throws -> FaspexPackage {
    guard let package = aspera.packages.package(id), package.sender == user || package.isReceived(by: user) else {
      throw ErrorResponse(.notFound, "1151", "Check your id and try again. The package could not be found.")
    }
    return package
  }

  /// Lists a page of the packages in a box; the history of a box has the same packages.
  private func list(_ box: String, _ call: InboundCall, for user: LocalCloud.OAuthUser) throws -> Answer {
    let found = aspera.packages.all.filter { package in
      switch box {
      case "all": package.isReceived(by: user) || package.sender == user
      case "outbox", "outbox_history": package.sender == user
      default: package.isReceived(by: user)
      }
    }
    let offset = try number("offset", call) ?? 0
    let limit = min(try number("limit", call) ?? 100, Self.pageLimit)
    return Answer([
      "total_count": .integer(found.count), "offset": .integer(offset), "limit": .integer(limit),
      "packages": .array(found.dropFirst(offset).prefix(limit).map { document(of: $0) }),
    ])
  }

  private func document(of package: FaspexPackage) -> JSONValue {
    let recipients = package.recipients.map { recipient -> JSONValue in
      ["name": .string(recipient.email), "email": .string(recipient.email), "recipient_type": "user"]
    }
    return [
      "id": .string(package.id), "title": .string(package.title), "note": .string(package.note), "state": "released",
      "upload_status": .string(package.uploadStatus.rawValue),
      "status": .string(package.uploadStatus == .completed ? "completed" : "uploading"),
      "created_time": .string(package.created.iso8601), "recipients": .array(recipients),
      "sender": ["name": .string(package.sender.email), "email": .string(package.sender.email)],
    ]
  }

  private func upload(
    _ document: JSONValue, to package: FaspexPackage, as user: LocalCloud.OAuthUser, at date: Timestamp
  ) throws -> Answer {
    guard package.sender == user else { throw ErrorResponse(.forbidden, "2014", "Only the sender can upload.") }
    guard let paths = document["paths"]?.array, !paths.isEmpty, paths.allSatisfy({ $0.string?.isEmpty == false }) else {
      throw Self.missing("paths")
    }
    aspera.packages.setUploadStatus(.submitted) { $0.id == package.id }
    return try transfer(
      .send, of: package, ["destination_root": .string(package.folder.text)],
      adding: ["paths": .array(paths.map { ["source": $0] }), "create_dir": true], at: date)
  }

  private func download(
    _ call: InboundCall, from package: FaspexPackage, as user: LocalCloud.OAuthUser
  ) throws -> Answer {
    guard let type = call["type"], ["received", "sent"].contains(type) else { throw Self.invalid("type") }
    guard type == "sent" ? package.sender == user : package.recipients.contains(user) else {
      throw ErrorResponse(.forbidden, "2014", "The package is in another box.")
    }
    let body = call.call.body.isEmpty ? JSONValue.object([:]) : try document(of: call)
    var paths = (body["paths"]?.array ?? []).compactMap { $0["path"]?.string ?? $0.string }
    if paths.isEmpty { paths = try aspera.files.children(of: package.folder).map(\.path.basename) }
    let request: JSONValue = [
      "source_root": .string(package.folder.text), "paths": .array(paths.map { ["source": .string($0)] }),
    ]
    return try transfer(.receive, of: package, request, at: call.date)
  }

  /// Returns the transfer specification for a request to the node, with members that Faspex replaces or adds.
  private func transfer(
    _ direction: TransferDirection, of package: FaspexPackage, _ request: JSONValue, adding members: JSONObject = [:],
    at date: Timestamp
  ) throws -> Answer {
    let setup = try TransferRequest(direction, in: ["transfer_request": request], below: .root)
    var specification = try node.specification(for: setup, of: .user("faspex"), at: date)
    for (name, value) in members { specification[name] = value }
    specification["authentication"] = "token"
    specification["tags"] = ["aspera": ["faspex": ["package_id": .string(package.id)]]]
    return Answer(.object(specification))
  }

  private func document(of call: InboundCall) throws -> JSONValue {
    guard let document = try? JSONValue(parsing: call.call.body), document.object != nil else {
      throw ErrorResponse(.badRequest, "1003", "Check your request body using a JSON linter. Your JSON is invalid.")
    }
    return document
  }

  private func number(_ name: String, _ call: InboundCall) throws -> Int? {
    guard let text = call[name] else { return nil }
    guard let number = Int(digits: text) else { throw Self.invalid(name) }
    return number
  }

  private static func missing(_ name: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "1003", "Check that you provided the '\(name)' parameter.")
  }

  private static func invalid(_ name: String) -> ErrorResponse {
    ErrorResponse(.badRequest, "1150", "Check that the \(name) field has one of its values.")
  }
}

extension ErrorResponse {
  fileprivate static let unknownFaspexRoute = ErrorResponse(
    .notFound, "1002",
    "Check that your API request matches the API specification. This route is not a valid endpoint.")

  fileprivate init(ofFaspex problem: GrantRequest.Problem) {
    switch problem {
    case .malformed(let message): self.init(.badRequest, "1003", message)
    case .unsupportedGrantType: self.init(.badRequest, "1003", "The grant_type is not supported.")
    case .unknownClient: self.init(.forbidden, "2015", "Try another ID.")
    case .wrongSecret: self.init(.badRequest, "2026", "The client secret does not match.")
    case .assertion(.unknownUser):
      self.init(.forbidden, "2016", "This client is not allowed to impersonate the subject you provided.")
    case .assertion(.wrongSignature):
      self.init(.forbidden, "2017", "The public key of the subject does not verify the JWT payload.")
    case .assertion(let problem):
      self.init(.badRequest, "2019", "The JWT payload does not match the specification. \(problem.message)")
    }
  }
}

/// A package of files from one user to others, whose files are in a folder of the node.
struct FaspexPackage: Sendable {
  let id, title, note: String
  let sender: LocalCloud.OAuthUser
  let recipients: [LocalCloud.OAuthUser]
  let created: Timestamp
  var uploadStatus = UploadStatus.notStarted

  enum UploadStatus: String { case notStarted = "pre_initiation", submitted, completed }

  /// Returns whether the package is in the inbox of a user, which is so only after the upload.
  func isReceived(by user: LocalCloud.OAuthUser) -> Bool { recipients.contains(user) && uploadStatus == .completed }
  var folder: NodePath { FaspexPackages.root.appending(NodePath(id) ?? .root) }
}

/// The packages of Faspex, whose IDs are ascending numbers.
final class FaspexPackages: Sendable {
  static let root = NodePath("/faspex-packages") ?? .root
  private static let capacity = 10_000
  private let packages = Lock<[FaspexPackage]>([])
  var all: [FaspexPackage] { packages.withLock { $0.reversed() } }

  /// Adds the package that a closure creates with a new ID, or returns `nil` if there are too many packages.
  ///
  /// The node keeps the folders of packages, and the files in them, longer than the server keeps the packages.
  func add(
    where isFree: (_ folder: NodePath) throws -> Bool, _ makePackage: (_ id: String) -> FaspexPackage
  ) throws -> FaspexPackage? {
    try packages.withLock { packages -> FaspexPackage? in
      guard packages.count < Self.capacity else { return nil }
      var id = (packages.last.flatMap { Int(digits: $0.id) } ?? 0) + 1
      var package = makePackage(String(id))
      while try !isFree(package.folder) {
        id += 1
        package = makePackage(String(id))
      }
      packages.append(package)
      return package
    }
  }

  func package(_ id: String) -> FaspexPackage? { packages.withLock { $0.first { $0.id == id } } }

  func setUploadStatus(_ status: FaspexPackage.UploadStatus, where isMatch: (FaspexPackage) -> Bool) {
    packages.withLock { packages in
      if let index = packages.firstIndex(where: isMatch) { packages[index].uploadStatus = status }
    }
  }

  /// Completes the package, if any, whose content a finished upload with these permissions has sent.
  func completeUpload(with permissions: TransferPermissions?) {
    guard let permissions, permissions.direction == .send, let location = permissions.locations.first else { return }
    setUploadStatus(.completed) { $0.folder == location }
  }
}
