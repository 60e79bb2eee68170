// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import AsperaAuth
internal import StorageAuth
internal import StorageJSON

extension NodeAPI {
  /// The maximum number of transfer requests in a setup call.
  private static let transferRequestLimit = 1_000

  /// Handles a setup call, which prepares transfers.
  ///
  /// For each transfer request, the response contains a transfer specification with a token, or an error.
  func setup(
    _ direction: TransferDirection, _ document: JSONValue, for caller: NodeCaller, at date: Timestamp
  ) throws -> Answer {
    let root = try caller.root
    guard let elements = document["transfer_requests"]?.array, (1...Self.transferRequestLimit).contains(elements.count)
    else {
      throw RefusalAnswer.nodeBadRequest(
        "There are no transfer_requests, or more than \(Self.transferRequestLimit).")
    }
    aspera.count { $0.setups += 1 }
    let specifications = try elements.map { element -> JSONValue in
      do {
        return ["transfer_spec": try specification(for: SetupRequest(direction, element, root), caller, at: date)]
      } catch let error as RefusalAnswer {
        return ["error": error.nodeDocument]
      } catch let problem as FileProblem {
        return ["error": RefusalAnswer.node(problem.relative(to: root)).nodeDocument]
      }
    }
    return Answer(["transfer_specs": .array(specifications)])
  }

  /// Returns the transfer specification for a transfer request, with a new token.
  ///
  /// A caller with a bearer token receives no other token: the permissions of folders determine what the bearer token
  /// grants access to.
  func specification(for order: SetupRequest, _ caller: NodeCaller, at date: Timestamp) throws -> JSONValue {
    let places = try order.places
    let isBearer = caller.bearerUser != nil
    if order.direction == .receive, !isBearer {
      for place in places where try aspera.files.entry(at: place) == nil { throw FileProblem.notFound(place) }
    }
    let user = aspera.directory.transferUser
    for line in order.publicKeys where !aspera.directory.add(publicKey: line, of: user) {
      throw RefusalAnswer.nodeBadRequest("One of the public_keys is not a line of authorized_keys.")
    }
    let lifetime = try order.lifetime
    var token: String?
    if !isBearer {
      token = aspera.tokens.issue(
        TransferClaim(
          direction: order.direction, user: user, accessKey: caller.accessKey?.id, creator: caller.userID,
          base: order.root, places: places, issued: date,
          end: date.advanced(by: aspera.tokenLifetime ?? lifetime)))
      aspera.cloud.counters.count(Self.endpoint) { $0.issued += 1 }
    }
    let port = JSONValue.number(JSONNumber(transferPort))
    var specification = JSONObject()
    specification["paths"] = order.answeredPaths
    specification["source_root"] = .string(order.request["source_root"]?.string ?? "")
    specification["destination_root"] = .string(order.answeredRoot)
    specification["token"] = token.map { .string($0) }
    specification["direction"] = .string(order.direction.rawValue)
    specification["cipher"] = "aes-128"
    specification["tags"] = order.request["tags"] ?? .null
    specification["cookie"] = order.request["cookie"]
    specification["rate_policy_allowed"] = "fixed"
    specification["rate_policy"] = "fair"
    specification["target_rate_kbps"] = 10_000
    specification["min_rate_kbps"] = 0
    specification["remote_host"] = "127.0.0.1"
    specification["remote_user"] = .string(user)
    specification["sshfp"] = .string(aspera.hostKey.description)
    specification["ssh_port"] = port
    specification["fasp_port"] = port
    specification["http_fallback"] = false
    return .object(specification)
  }
}
