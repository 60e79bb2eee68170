// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth
internal import StorageJSON

extension NodeSetup {
  /// The names of the specification's fields that are sent to the node unchanged.
  ///
  /// They are the fields of a request in the OpenAPI description of IBM's Node API, and a few that aspera-cli also
  /// sends, such as `public_keys`. Other fields are not sent, in particular passwords and keys.
  private static let fields = [
    "remote_host", "ssh_port", "fasp_port", "token_life_seconds", "cipher", "cipher_allowed", "content_protection",
    "cookie", "create_dir", "http_fallback", "http_fallback_port", "rate_policy", "rate_policy_allowed",
    "target_rate_kbps", "target_rate_cap_kbps", "min_rate_kbps", "tags", "aspera_connect_settings", "public_keys",
  ]

  /// Returns an element of the request's array `transfer_requests` for a transfer.
  ///
  /// The node receives only paths on the server: the destinations of an upload, or the sources of a download. The names
  /// of local files are private.
  static func request(
    for specification: TransferSpec, _ tokenLifetime: Duration?
  ) throws(AsperaError) -> JSONObject {
    let paths = specification.paths
    guard !paths.isEmpty else {
      throw AsperaError(
        .invalidSpecification, "A transfer to set up has no paths.",
        remedy: "Name the files; the token is valid only for them.")
    }
    var request = JSONObject()
    switch specification.direction {
    case .receive?:
      request["source_root"] = text(specification.fields["source_root"])
      request["paths"] = list(paths.map(\.source), as: "source")
    default:
      let root = text(specification.fields["destination_root"])
      let destinations = paths.compactMap(\.destination)
      guard destinations.isEmpty || destinations.count == paths.count else {
        throw AsperaError(
          .invalidSpecification, "Some paths of an upload have a destination, and others have none.",
          remedy: "Give all of them one, or none.")
      }
      // If the paths have no destinations, the files are uploaded to the root, which is then the only destination.
      request["destination_root"] = destinations.isEmpty ? nil : root
      request["paths"] = list(destinations.isEmpty ? [root?.string ?? "/"] : destinations, as: "destination")
    }
    for name in fields {
      if let value = specification.fields[name], value != .null { request[name] = value }
    }
    if let tokenLifetime { request["token_life_seconds"] = .number(JSONNumber(tokenLifetime.components.seconds)) }
    return request
  }

  private static func list(_ paths: [String], as name: String) -> JSONValue {
    .array(
      paths.map { path in
        var member = JSONObject()
        member[name] = .string(path)
        return .object(member)
      })
  }

  private static func text(_ value: JSONValue?) -> JSONValue? {
    value?.string.flatMap { $0.isEmpty ? nil : .string($0) }
  }
}
