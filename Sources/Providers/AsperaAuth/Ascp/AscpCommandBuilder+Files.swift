// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

/// Rules about fields that delete files, and about fields for which ascp has no option.
extension AscpCommandBuilder {
  /// Checks that no field that affects the transfer would be lost.
  ///
  /// A field with the value `null` or `false` requests no action, so it may be lost.
  func checkFields() throws(AsperaError) {
    for (name, value) in specification.fields where !TransferField.isKnown(name) && value != .null {
      guard isIgnored(name) else {
        throw Self.refusal(
          of: Self.shown(name), "is unknown, so that it would not be passed to ascp",
          remedy: "Leave it out, or name it in ignoredFields if the transfer can do without it.")
      }
    }
    for field in TransferField.all {
      guard case .refused(let reason, let remedy) = field.mapping, let value = specification.fields[field.name],
        value != .null, value != .bool(false), !isIgnored(field.name)
      else { continue }
      throw Self.refusal(of: field.name, "\(reason), and ascp has no option for it", remedy: remedy)
    }
  }

  /// Replaces `delete_source` with three equivalent fields, and copies `remove_empty_source_dir` to the field's usual
  /// name.
  ///
  /// ascp has no option for `delete_source`. According to aspera-cli's schema (`spec.schema.yaml`), the field is
  /// equivalent to removing the files, the folders that are then empty, and the source folder itself. aspera-cli
  /// expands the field in the same way.
  mutating func expandDeletion() {
    if specification.fields["delete_source"]?.bool == true {
      for name in TransferSpec.deletions { specification.fields[name] = true }
    }
    if let value = specification.fields["remove_empty_source_dir"], value != .null {
      specification.fields["remove_empty_source_directory"] = value
    }
  }

  private func isIgnored(_ name: String) -> Bool {
    options.ignoredFields.contains { $0.utf8.elementsEqual(name.utf8) }
  }

  private static func refusal(of field: String, _ problem: String, remedy: String) -> AsperaError {
    AsperaError(
      .unsupported, "The field \(field) of the transfer specification \(problem).", remedy: remedy)
  }

  /// Returns a field name for use in a message if the name is printable ASCII, or else a replacement.
  ///
  /// The name is untrusted because a client may have chosen it.
  private static func shown(_ name: String) -> String {
    let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isPlain ? name : "(of \(name.utf8.count) bytes that cannot be shown)"
  }
}
