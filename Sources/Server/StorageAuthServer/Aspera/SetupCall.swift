// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import Hummingbird
internal import StorageCrypto

/// A request to set up transfers, in the format that clients send to an Aspera node.
struct SetupCall {
  private static let (byteLimit, transferLimit) = (1 << 20, 100)

  /// The fields that are forwarded to the node in addition to the paths.
  private static let forwardedFields = [
    "token_life_seconds", "create_dir", "public_keys", "rate_policy", "target_rate_kbps", "min_rate_kbps", "cipher",
    "content_protection",
  ]

  /// The fields of a node's response with which a client could transfer other files as well.
  private static let secretFields = ["remote_password", "ssh_private_key", "ssh_private_key_passphrase"]

  private let direction: TransferDirection
  /// The specification of each transfer, or what is malformed in its request.
  private let specifications: [Result<TransferSpec, PolicyError>]

  init(_ request: inout Request, _ direction: TransferDirection) async throws {
    let body = try await request.collectBody(upTo: Self.byteLimit)
    guard let elements = (try? JSONValue(parsing: body.readableBytesView))?["transfer_requests"]?.array,
      (1...Self.transferLimit).contains(elements.count)
    else {
      throw HTTPError(.badRequest, message: "The body has no transfer_requests, or more than \(Self.transferLimit).")
    }
    self.direction = direction
    specifications = elements.map { element in
      Result { () throws(PolicyError) in try Self.specification(from: element["transfer_request"], direction) }
    }
  }

  /// Returns whether a value is one line of `authorized_keys` without options, which could permit more than a login.
  private static func isPublicKey(_ value: JSONValue) -> Bool {
    guard let text = value.string, text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7f }) else { return false }
    let keyFields = text.parts(between: " ")
    return keyFields.count >= 2 && ["ssh-", "ecdsa-", "sk-"].contains { keyFields[0].utf8.starts(with: $0.utf8) }
      && [UInt8](base64: String(keyFields[1])) != nil
  }

  private static func specification(
    from value: JSONValue?, _ direction: TransferDirection
  ) throws(PolicyError) -> TransferSpec {
    guard let requested = value?.object else { throw malformed("The element has no transfer_request.") }
    guard requested["public_keys"].map(isPublicKey) ?? true else {
      throw malformed("The public_keys are not one public key in one line, without options.")
    }
    var fields = JSONObject()
    for name in Self.forwardedFields { fields[name] = requested[name] }
    var specification = TransferSpec(fields: fields)
    specification.direction = direction
    guard let paths = (requested["paths"] ?? []).array else { throw malformed("The paths are not a list.") }
    switch direction {
    case .receive:
      let sources = paths.compactMap { $0["source"]?.string }
      guard !sources.isEmpty, sources.count == paths.count else {
        throw malformed("A download needs paths, each of them with a source.")
      }
      specification.sourceRoot = requested["source_root"]?.string
      specification.paths = sources.map { TransferPath($0) }
    case .send:
      let destinations = paths.compactMap { $0["destination"]?.string }
      let root = requested["destination_root"]?.string
      // As at a node, the folder of an upload without destinations is its root, and that of an upload with a single
      // path and no other names is the path's destination.
      let folder: String? =
        if root == nil {
          paths.count == 1 && paths[0]["source"] == nil ? destinations.first : nil
        } else {
          paths.allSatisfy { $0.object.map { $0["destination"] == nil } ?? false } ? root : nil
        }
      specification.destinationRoot = root ?? folder
      guard folder != nil || !paths.isEmpty && destinations.count == paths.count else {
        throw malformed("An upload needs a destination for each path, or a destination_root and no other.")
      }
      specification.paths = folder.map { [TransferPath($0)] } ?? destinations.map { TransferPath($0, to: $0) }
    }
    return specification
  }

  private static func malformed(_ message: String) -> PolicyError {
    PolicyError(.refused, message, remedy: "Send the transfer_request that a node accepts.")
  }

  func setUpTransfers(by service: TransferTokenService, for request: TransferTokenRequest) async -> JSONValue {
    var elements: [JSONValue] = []
    for specification in specifications {
      do throws(TokenServiceError) {
        switch specification {
        case .success(let specification):
          let credential = try await service.grant(for: specification, request)
          elements.append(["transfer_spec": .object(Self.visibleFields(of: credential))])
        case .failure(let fault):
          let error = await service.refuse(direction, request, because: fault)
          guard case .notAllowed = error else { throw error }
          elements.append(TokenRefusal(.badRequest, "InvalidRequest", fault.message).body.nodeError)
        }
      } catch {
        elements.append(TokenRefusal(transfer: error).body.nodeError)
      }
    }
    return ["transfer_specs": .array(elements)]
  }

  private static func visibleFields(of credential: TransferCredential) -> JSONObject {
    var fields = credential.specification?.fields ?? JSONObject()
    for name in Self.secretFields { fields[name] = nil }
    fields["token"] = credential.token.map { .string($0.secret.reveal()) }
    return fields
  }
}

extension TokenRefusal {
  /// Creates a refusal without the node's own message, which appears only in the audit log.
  fileprivate init(transfer error: TokenServiceError) {
    if case .unavailable(let cause, nil) = error, cause.code == .rejected {
      self.init(
        .notFound, "NotFound", "The node did not set up this transfer: a path is missing, or not for this server.")
    } else {
      self.init(error)
    }
  }
}

extension TokenFormat.Refusal {
  var nodeError: JSONValue {
    ["error": ["code": .number(JSONNumber(status.code)), "reason": .string(code), "user_message": .string(message)]]
  }
}
