internal import StorageJSON

/// What happens to files on both sides.
extension TransferSpec {
  /// Which files at the destination are overwritten (`overwrite`); ascp's own rule, ``OverwritePolicy/different``, if
  /// `nil`.
  public var overwritePolicy: OverwritePolicy? {
    get { word("overwrite") }
    set { setText("overwrite", newValue?.rawValue) }
  }

  /// What happens to symbolic links among the sources (`symlink_policy`).
  public var symbolicLinkPolicy: SymbolicLinkPolicy? {
    get { word("symlink_policy") }
    set { setText("symlink_policy", newValue?.rawValue) }
  }

  /// Whether sources are removed once they have been transferred (`remove_after_transfer`).
  public var removesSources: Bool? {
    get { fields["remove_after_transfer"]?.truth }
    set { fields["remove_after_transfer"] = newValue.map { .truth($0) } }
  }

  /// The folder that sources are moved to once they have been transferred (`move_after_transfer`).
  public var sourceArchive: String? {
    get { text("move_after_transfer") }
    set { setText("move_after_transfer", newValue) }
  }

  /// What `delete_source` stands for.
  static let deletions = ["remove_after_transfer", "remove_empty_directories", "remove_empty_source_directory"]

  /// Refuses fields that contradict each other about what happens to files.
  func checkFiles() throws(AsperaError) {
    if let deletes = fields["delete_source"]?.truth {
      for name in Self.deletions + ["remove_empty_source_dir"] {
        if let other = fields[name]?.truth, other != deletes {
          throw Self.invalid(
            "has delete_source \(deletes) and \(name) \(other)", "Leave delete_source out, or \(name).")
        }
      }
    }
    if let one = fields["remove_empty_source_dir"]?.truth, let other = fields["remove_empty_source_directory"]?.truth,
      one != other
    {
      throw Self.invalid(
        "has remove_empty_source_dir \(one) and remove_empty_source_directory \(other)", "Leave one of them out.")
    }
    let removes = fields["delete_source"]?.truth == true || removesSources == true
    if removes, sourceArchive != nil {
      throw Self.invalid("both removes the sources and moves them", "Leave move_after_transfer out, or the removal.")
    }
    if fields["remove_skipped"]?.truth == true, !removes {
      throw Self.invalid("has remove_skipped without remove_after_transfer", "Set both of them, or none.")
    }
    if text("src_base") != nil, text("src_base64") != nil {
      throw Self.invalid("has both src_base and src_base64", "Leave one of them out.")
    }
  }
}
