internal import StorageAuth
internal import StorageJSON

extension NodeSetup {
  /// The fields that a node is told as they are.
  ///
  /// What is not in this list stays on this side, passwords and keys above all.
  private static let fields = [
    "remote_host", "ssh_port", "fasp_port", "token_life_seconds", "cipher", "cipher_allowed", "content_protection",
    "cookie", "create_dir", "http_fallback", "http_fallback_port", "rate_policy", "rate_policy_allowed",
    "target_rate_kbps", "target_rate_cap_kbps", "min_rate_kbps", "tags", "aspera_connect_settings", "public_keys",
  ]

  /// A member of `transfer_requests`.
  ///
  /// Of an upload the node is told where the files go, of a download where they come from: what they are called on this
  /// side is none of its business.
  static func request(
    for specification: TransferSpec, _ tokenLifetime: Duration?
  ) throws(AsperaError) -> JSONObject {
    let paths = specification.paths
    guard !paths.isEmpty else {
      throw AsperaError(
        .invalidSpecification, "A transfer to set up has no paths.",
        remedy: "Name the files; the token is for them and no others.")
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
          .invalidSpecification, "Of the paths of an upload some have a destination and some have none.",
          remedy: "Give all of them one, or none.")
      }
      // Without names of their own the files go into the root: it is the destination.
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
