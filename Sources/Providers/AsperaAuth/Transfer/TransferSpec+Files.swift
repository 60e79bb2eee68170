// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageJSON

/// Fields about the treatment of files on both sides.
extension TransferSpec {
  /// The policy for existing files at the destination (`overwrite`), or `nil` for ascp's default,
  /// ``OverwritePolicy/different``.
  public var overwritePolicy: OverwritePolicy? {
    get { word("overwrite") }
    set { setText("overwrite", newValue?.rawValue) }
  }

  /// The policy for symbolic links among the source files (`symlink_policy`).
  public var symbolicLinkPolicy: SymbolicLinkPolicy? {
    get { word("symlink_policy") }
    set { setText("symlink_policy", newValue?.rawValue) }
  }

  /// A Boolean value that indicates whether source files are removed after their transfer (`remove_after_transfer`).
  public var removesSources: Bool? {
    get { fields["remove_after_transfer"]?.bool }
    set { fields["remove_after_transfer"] = newValue.map { .bool($0) } }
  }

  /// The folder to which source files are moved after their transfer (`move_after_transfer`).
  public var sourceArchive: String? {
    get { text("move_after_transfer") }
    set { setText("move_after_transfer", newValue) }
  }

  /// The names of the fields that together are equivalent to `delete_source`.
  static let deletions = ["remove_after_transfer", "remove_empty_directories", "remove_empty_source_directory"]

  /// The names of the Node API for fields of aspera-cli's schema, each with the name in the schema.
  static let namesOfNodeAPI = [
    "preserve_xattrs": "preserve_extended_attrs", "remote_preserve_xattrs": "preserve_remote_extended_attrs",
    "remote_preserve_acls": "preserve_remote_acls",
  ]

  /// Checks that the fields about the treatment of files do not contradict each other.
  func checkFiles() throws(AsperaError) {
    if let deletes = fields["delete_source"]?.bool {
      for name in Self.deletions + ["remove_empty_source_dir"] {
        if let other = fields[name]?.bool, other != deletes {
          throw Self.invalid(
            "has delete_source \(deletes) and \(name) \(other)", "Leave delete_source out, or \(name).")
        }
      }
    }
    if let one = fields["remove_empty_source_dir"]?.bool, let other = fields["remove_empty_source_directory"]?.bool,
      one != other
    {
      throw Self.invalid(
        "has remove_empty_source_dir \(one) and remove_empty_source_directory \(other)", "Leave one of them out.")
    }
    let removes = fields["delete_source"]?.bool == true || removesSources == true
    if removes, sourceArchive != nil {
      throw Self.invalid("both removes the sources and moves them", "Leave move_after_transfer out, or the removal.")
    }
    if fields["remove_skipped"]?.bool == true, !removes {
      throw Self.invalid("has remove_skipped without remove_after_transfer", "Set both of them, or none.")
    }
    if text("src_base") != nil, text("src_base64") != nil {
      throw Self.invalid("has both src_base and src_base64", "Leave one of them out.")
    }
    for (name, usual) in Self.namesOfNodeAPI where text(name) != nil && text(usual) != nil {
      throw Self.invalid("has both \(name) and \(usual), which are one setting", "Leave one of them out.")
    }
  }
}
