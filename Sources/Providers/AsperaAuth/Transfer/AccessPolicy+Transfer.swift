// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

extension AccessPolicy {
  /// Restricts a transfer specification to the paths and the token lifetime that the policy allows.
  ///
  /// In the result, every path on the server is absolute and allowed, and the requested token lifetime does not exceed
  /// the rule's remaining lifetime. A path without a leading slash is relative to the folder of the rule's prefix, to
  /// which an upload without a destination root goes. A rule must allow everything below a path, as a token does.
  ///
  /// ```swift
  /// let allowed = try policy.transfer(specification, with: "access-key", at: .now)
  /// let issued = try await issuer.issue(for: TokenRequest(session: "s", specification: allowed), in: context)
  /// ```
  ///
  /// - Parameters:
  ///   - specification: The requested transfer: an upload, which requires permission to write, or a download, to read.
  ///   - accessKey: The bucket name in the rules: the access key, or the root that the node has for the access key.
  ///   - date: The current time.
  /// - Returns: The specification to send to the node.
  /// - Throws: A `PolicyError`: `refused` if no rule allows the transfer; `unsupportedCondition` or `unsupportedKey` if
  ///   the only rule that would allow it is limited to a size, a media type, an address or a single key.
  public func transfer(
    _ specification: TransferSpec, with accessKey: String, at date: Timestamp
  ) throws(PolicyError) -> TransferSpec {
    let action: AccessAction
    switch specification.direction {
    case .send?: action = .write
    case .receive?: action = .read
    case nil:
      throw PolicyError(
        .refused, "The transfer has no direction, so that no rule can be applied to it.",
        remedy: "Set direction to send or receive.")
    }
    var problem: PolicyError?
    for rule in try checkedRules(isBucket: { _ in true })
    where rule.bucket == accessKey && rule.actions.contains(action) {
      do throws(PolicyError) {
        return try TransferScope(rule, action, at: date).applied(to: specification)
      } catch {
        // An error about a condition that a token cannot express is more useful than one about another rule.
        if problem == nil || error.code != .refused { problem = error }
      }
    }
    throw problem
      ?? PolicyError(
        .refused, "No rule allows to \(action) with the access key \"\(accessKey)\".",
        remedy: "Request a transfer that the policy allows.")
  }
}

/// The transfers that one rule allows: those below its prefix, with tokens that do not outlive the rule.
private struct TransferScope {
  /// The beginning of the allowed paths without their leading slash, or an empty string for all paths.
  private let prefix: String
  /// The remaining lifetime of the rule, or `nil` if the rule does not expire.
  private let remainingSeconds: Int64?

  /// Creates the scope of a rule, or throws if it has expired or has a condition to which a token cannot be bound.
  init(_ rule: AccessRule, _ action: AccessAction, at date: Timestamp) throws(PolicyError) {
    switch rule.objects {
    case .all: prefix = ""
    case .prefix(let prefix): self.prefix = prefix
    case .key(let key):
      throw PolicyError(
        .unsupportedKey,
        "The rule is for the single key \"\(key)\", and a transfer token is valid for everything below a path.",
        remedy: "Use a prefix that ends with a slash.")
    }
    guard RelativeNodePath(prefix) != nil else {
      throw PolicyError(
        .unsupportedKey, "The prefix \"\(prefix)\" is not a path: it has an empty component, \".\" or \"..\" in it.",
        remedy: "Write it like uploads/alice/.")
    }
    if rule.addresses != nil { throw Self.unsupportedCondition("an address") }
    // These two conditions restrict only uploads.
    if action == .write, rule.maximumSize != nil { throw Self.unsupportedCondition("a size") }
    if action == .write, rule.contentTypes != nil { throw Self.unsupportedCondition("media types") }
    remainingSeconds = rule.end.map { date.duration(to: $0).components.seconds }
    if let remainingSeconds, remainingSeconds < 1 {
      throw PolicyError(.refused, "The rule has expired.", remedy: "Get a policy that expires later.")
    }
  }

  /// Returns the specification with absolute paths and a limited token lifetime, or throws if a path is not allowed.
  func applied(to specification: TransferSpec) throws(PolicyError) -> TransferSpec {
    var allowed = specification
    guard !specification.paths.isEmpty else { throw Self.refused("The transfer has no paths") }
    // Tags and root identifiers can change the folder to which paths are relative.
    guard specification.tags?["aspera"] == nil,
      ["tags64", "source_root_id", "destination_root_id"].allSatisfy({ specification.fields[$0] == nil })
    else { throw Self.refused("The transfer has tags or roots that only a node or the issuer of a token may set") }
    switch specification.direction {
    case .receive?: try makeSourcesAbsolute(in: &allowed)
    case .send?, nil: try makeDestinationRootAbsolute(in: &allowed)
    }
    if let remainingSeconds {
      // Without a request, a rule that ends late does not prolong the token.
      let requestedSeconds =
        specification.number("token_life_seconds").map { Int64($0) } ?? NodeSetup.assumedLifetime.components.seconds
      allowed.fields["token_life_seconds"] = .number(JSONNumber(min(max(requestedSeconds, 1), remainingSeconds)))
    }
    return allowed
  }

  private func makeSourcesAbsolute(in specification: inout TransferSpec) throws(PolicyError) {
    var root = specification.nonemptyText("source_root")
    while let shorterRoot = root?.removingByteSuffix("/") { root = String(shorterRoot) }
    specification.paths = try specification.paths.map { (path) throws(PolicyError) in
      let source = root.map { "\($0)/\(path.source)" } ?? path.source
      return TransferPath(try allowedPath(source).absolute, to: path.destination)
    }
    specification.sourceRoot = nil
  }

  private func makeDestinationRootAbsolute(in specification: inout TransferSpec) throws(PolicyError) {
    let root = try allowedPath(specification.destinationRoot ?? "", isFolder: true)
    for destination in specification.paths.compactMap(\.destination) {
      // The key of the node's own root is empty, so that no slash is doubled.
      _ = try allowedPath("/\(root.key(isFolder: true))\(destination)")
    }
    specification.destinationRoot = root.absolute
  }

  /// Returns the path on the node for a path in the specification, or throws if the rule does not allow it.
  private func allowedPath(_ path: String, isFolder: Bool = false) throws(PolicyError) -> RelativeNodePath {
    // A prefix without a trailing slash ends within a name: relative paths are resolved in the folder before that name.
    let folder = prefix.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(prefix[..<$0]) } ?? ""
    let pathInFolder = folder.isEmpty ? path : "\(folder)/\(path)"
    let relativePath = path.removingBytePrefix("/").map { String($0) } ?? pathInFolder
    guard let nodePath = RelativeNodePath(relativePath) else {
      throw Self.refused("The path \"\(path)\" leads out of its folder")
    }
    guard nodePath.key(isFolder: isFolder).utf8.starts(with: prefix.utf8) else {
      throw Self.refused("The path \"\(path)\" is not below \"/\(prefix)\"")
    }
    return nodePath
  }

  private static func unsupportedCondition(_ condition: String) -> PolicyError {
    PolicyError(
      .unsupportedCondition, "The rule has \(condition), to which a node's token cannot be bound.",
      remedy: "Leave it out of the rule for Aspera, and check it where the transfer is requested.")
  }

  private static func refused(_ problem: String) -> PolicyError {
    PolicyError(.refused, "\(problem).", remedy: "Request paths that the policy allows.")
  }
}

/// A path below the root of a node, without components such as `..` that lead outside.
private struct RelativeNodePath {
  private let names: [Substring]

  /// Parses a path, ignoring slashes at its end.
  ///
  /// The result is `nil` if the path contains an empty component, `.`, `..` or a NUL. Backslashes count as separators
  /// in the search for `..`, because nodes on Windows treat backslashes as slashes.
  init?(_ text: String) {
    let names = text.parts(between: "/")
    guard let lastNonempty = names.lastIndex(where: { !$0.isEmpty }) else {
      self.names = []
      guard text.isEmpty || text == "/" else { return nil }
      return
    }
    self.names = Array(names[...lastNonempty])
    guard self.names.allSatisfy(Self.isName) else { return nil }
  }

  private static func isName(_ text: Substring) -> Bool {
    !text.isEmpty && text != "." && !text.utf8.contains(0) && !String(text).parts(between: "\\").contains("..")
  }

  var absolute: String { "/" + names.joined(separator: "/") }
  func key(isFolder: Bool) -> String { names.joined(separator: "/") + (isFolder && !names.isEmpty ? "/" : "") }
}
