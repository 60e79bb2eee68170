// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import ArgumentParser
internal import Foundation
internal import StorageAuthServer

/// The options for the permissions of callers.
struct RuleOptions: ParsableArguments {
  /// The placeholder that stands for the caller's name in `--prefix`.
  static let placeholder = "{caller}"

  @Option(help: "The bucket; for COS with the number of the app (APPID).")
  var bucket: String

  @Option(help: "The prefix of a caller, in which \(placeholder)/ stands for its name.")
  var prefix: String = "\(placeholder)/"

  @Option(help: ArgumentHelp("The permitted actions: read, write, delete, list.", valueName: "actions"))
  var allow: ActionList = ActionList([.write])

  @Option(help: ArgumentHelp("The maximum size of an uploaded object.", valueName: "bytes"))
  var maxSize: Int64?

  @Option(help: "A permitted media type of uploaded objects; repeatable.")
  var type: [String] = []

  /// Checks that the prefix of one caller cannot match objects of another caller.
  func requireSeparatePrefixes() throws {
    let parts = prefix.components(separatedBy: Self.placeholder)
    guard parts.count > 1 else { return }
    // Only a character that cannot be part of a name marks the end of the name.
    guard parts.dropFirst().contains(where: { $0.utf8.first.map { !CallerList.isInNames($0) } ?? false }) else {
      throw ValidationError(
        "With --prefix '\(prefix)' the caller alice could access objects of a caller alicex, because the prefix of one begins with that of the other. Put a slash right after \(Self.placeholder), as in '\(parts[0])\(Self.placeholder)/'."
      )
    }
  }

  func policy(of caller: String) -> AccessPolicy {
    var rule = AccessRule(
      objects: .prefix(prefix.replacing(Self.placeholder, with: caller)), in: bucket, upTo: maxSize,
      types: type.isEmpty ? nil : type)
    rule.actions = Set(allow.actions)
    return AccessPolicy([rule])
  }
}

/// An argument that contains permitted actions, separated by commas.
struct ActionList: ExpressibleByArgument {
  let actions: [AccessAction]

  var defaultValueDescription: String { actions.map(\.rawValue).joined(separator: ",") }

  init(_ actions: [AccessAction]) {
    self.actions = actions
  }

  init?(argument: String) {
    let names = argument.split(separator: ",", omittingEmptySubsequences: false)
    let actions = names.compactMap { AccessAction(rawValue: String($0)) }
    guard actions.count == names.count else { return nil }
    self.init(actions)
  }
}
