// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The Node API operations that set up transfers: `/files/upload_setup` and `/files/download_setup`.
///
/// A node responds with a specification and a token for each transfer. The source is IBM's OpenAPI description.
package enum NodeSetup {
  /// The token lifetime of a node if the request does not specify one.
  package static let assumedLifetime = Duration.seconds(86_400)

  /// The path of the operation that sets up transfers in a direction.
  package static func path(for direction: TransferDirection) -> String {
    direction == .send ? "/files/upload_setup" : "/files/download_setup"
  }

  /// The body of a request that sets up transfers, which have the same direction.
  package static func body(for specs: [TransferSpec], tokenLifetime: Duration? = nil) throws(AsperaError) -> [UInt8] {
    guard !specs.isEmpty else {
      throw AsperaError(.invalidSpecification, "There is no transfer to set up.", remedy: "Request at least one.")
    }
    guard Set(specs.map(\.direction)).count == 1, specs[0].direction != nil else {
      throw AsperaError(
        .invalidSpecification, "The transfers to set up have no direction, or not all the same.",
        remedy: "Set direction to send or receive, and request uploads and downloads separately.")
    }
    let requests = try specs.map { (spec) throws(AsperaError) -> JSONValue in
      ["transfer_request": .object(try request(for: spec, tokenLifetime: tokenLifetime))]
    }
    return (["transfer_requests": .array(requests)] as JSONValue).serialized
  }

  /// Parses the body of a response with HTTP status 200, whose results are in the order of the `count` requests.
  package static func results(of body: [UInt8], count: Int) throws(AsperaError) -> [Result<TransferSpec, NodeRefusal>] {
    let response: JSONValue
    do {
      response = try JSONValue(parsing: body)
    } catch { throw invalidAnswer("The response of the node is not JSON: \(error).") }
    guard let elements = response["transfer_specs"]?.array else {
      throw invalidAnswer("The response has no array transfer_specs.")
    }
    guard elements.count == count else {
      throw invalidAnswer("The response has \(elements.count) elements in transfer_specs, but \(count) were requested.")
    }
    return try elements.enumerated().map { (index, element) throws(AsperaError) in
      let specification = element["transfer_spec"]
      // Both places occur: next to the specification, and in it.
      if let refusal = NodeRefusal(of: element) ?? specification.flatMap({ NodeRefusal(of: $0) }) {
        return .failure(refusal)
      }
      if let fields = specification?.object { return .success(TransferSpec(fields: fields)) }
      throw invalidAnswer("The element \(index) of transfer_specs has neither a transfer_spec nor an error.")
    }
  }

  private static func invalidAnswer(_ message: String) -> AsperaError {
    AsperaError(.invalidAnswer, message, remedy: "Check that the address is that of a Node API.")
  }

  /// The names of the specification's fields that are sent to the node unchanged.
  ///
  /// They are the fields of a request in the OpenAPI description of IBM's Node API, and a few that aspera-cli also
  /// sends, such as `public_keys`. Other fields are not sent, in particular passwords and keys.
  private static let sentFields = [
    "remote_host", "ssh_port", "fasp_port", "token_life_seconds", "cipher", "cipher_allowed", "content_protection",
    "cookie", "create_dir", "http_fallback", "http_fallback_port", "rate_policy", "rate_policy_allowed",
    "target_rate_kbps", "target_rate_cap_kbps", "min_rate_kbps", "tags", "aspera_connect_settings", "public_keys",
  ]

  private static func request(for spec: TransferSpec, tokenLifetime: Duration?) throws(AsperaError) -> JSONObject {
    var request = try requestedPaths(of: spec)
    for name in sentFields { if let value = spec.value(name) { request[name] = value } }
    if let lifetime = requestedLifetime(tokenLifetime, spec) {
      request["token_life_seconds"] = .number(JSONNumber(lifetime.components.seconds))
    }
    return request
  }

  /// Returns the shorter of an issuer's token lifetime and that in a specification, which a policy can limit.
  static func requestedLifetime(_ tokenLifetime: Duration?, _ spec: TransferSpec) -> Duration? {
    let specified = spec.number("token_life_seconds").map { Duration.seconds($0) }
    return [tokenLifetime, specified].compactMap(\.self).min()
  }

  /// Returns the members with the paths on the server; the names of local files are private, and are not sent.
  private static func requestedPaths(of spec: TransferSpec) throws(AsperaError) -> JSONObject {
    let paths = spec.paths
    guard !paths.isEmpty else {
      throw AsperaError(
        .invalidSpecification, "A transfer to set up has no paths.",
        remedy: "Name the files; the token is valid only for them.")
    }
    var members = JSONObject()
    if spec.direction == .receive {
      members["source_root"] = spec.nonemptyText("source_root").map { .string($0) }
      members["paths"] = pathList(paths.map(\.source), as: "source")
      return members
    }
    let root = spec.nonemptyText("destination_root")
    let destinations = paths.compactMap(\.destination)
    guard destinations.isEmpty || destinations.count == paths.count else {
      throw AsperaError(
        .invalidSpecification, "Some paths of an upload have a destination, and others have none.",
        remedy: "Give all of them one, or none.")
    }
    // If the paths have no destinations, the files are uploaded to the root, which is then the only destination.
    members["destination_root"] = destinations.isEmpty ? nil : root.map { .string($0) }
    members["paths"] = pathList(destinations.isEmpty ? [root ?? "/"] : destinations, as: "destination")
    return members
  }

  private static func pathList(_ paths: [String], as memberName: String) -> JSONValue {
    .array(paths.map { [memberName: .string($0)] })
  }
}

/// A refusal of a Node API: the member `error` of a response or of an array element in a response.
package struct NodeRefusal: Error, Sendable, Hashable {
  /// The error code, which corresponds to an HTTP status code.
  package let code: String?
  /// The short name of the error, such as `Not Found`.
  package let reason: String?
  /// The node's error message, which is untrusted: callers mask and truncate it before they show it to the user.
  package let message: String?

  /// Parses the refusal in a response or an element, or returns `nil` if it has none.
  package init?(of value: JSONValue) {
    guard let error = value["error"], error != .null else { return nil }
    code = error["code"]?.code
    reason = error["reason"]?.string
    message = error["user_message"]?.string ?? error["internal_message"]?.string ?? error.string
  }

  package init?(inBody body: [UInt8]) {
    guard let value = try? JSONValue(parsing: body) else { return nil }
    self.init(of: value)
  }

  package var status: Int? { code.flatMap { Int(digits: $0) } }

  /// The code, the reason and the message, as far as the node sent them; untrusted like ``message``.
  package var text: String {
    let text = [code, reason, message].compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "an error without a code" : text
  }
}
