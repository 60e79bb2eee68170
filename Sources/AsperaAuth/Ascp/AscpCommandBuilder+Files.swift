internal import StorageJSON

/// What happens to files, and what ascp has no option for.
extension AscpCommandBuilder {
  /// Refuses fields whose loss would make another transfer of this one.
  ///
  /// A field that is `null` or `false` asks for nothing.
  func checkFields() throws(AsperaError) {
    for (name, value) in specification.fields where !TransferField.isKnown(name) && value != .null {
      guard isIgnored(name) else {
        throw Self.refusal(
          of: Self.shown(name), "is not known here, so that ascp would not hear of it",
          remedy: "Leave it out, or name it in ignoredFields if the transfer may go without it.")
      }
    }
    for field in TransferField.all {
      guard case .refused(let reason, let remedy) = field.mapping, let value = specification.fields[field.name],
        value != .null, value != .bool(false), !isIgnored(field.name)
      else { continue }
      throw Self.refusal(of: field.name, "\(reason), and ascp has no option for it", remedy: remedy)
    }
  }

  /// Writes `delete_source` as the three fields that it stands for, and one field under its other name.
  ///
  /// ascp has no option for it: IBM's schema calls it equivalent to removing the files, the folders that are empty then,
  /// and the folder that was named, and aspera-cli does the same.
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

  /// The name of a field, if it looks like one: it may come from elsewhere.
  private static func shown(_ name: String) -> String {
    let isPlain = (1...64).contains(name.utf8.count) && name.utf8.allSatisfy { (0x21...0x7e).contains($0) }
    return isPlain ? name : "(of \(name.utf8.count) bytes that cannot be shown)"
  }
}
