// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import AsperaAuth
import StorageAuth
import XCTest

/// Tests which arguments each field that IBM publishes has, compared with aspera-cli's `direct` agent
/// (`lib/aspera/transfer/spec.schema.yaml` and `command_line_builder.rb`, 2026-08).
final class AscpFieldTests: XCTestCase {
  private func specification(_ fields: JSONValue = [:]) -> TransferSpec {
    var specification = TransferSpec(.send, [TransferPath("/a")], destinationRoot: "/")
    specification.remoteHost = "aspera.example.com"
    specification.remoteUser = "mia"
    specification.remotePassword = Secret("correct horse")
    for (name, value) in fields.object ?? JSONObject() { specification.fields[name] = value }
    return specification
  }

  /// The arguments that fields add to a specification.
  private func arguments(_ fields: JSONValue) throws -> [String] {
    var options = AscpOptions()
    options.isQuiet = false
    let bare = try AscpCommand(specification(), options: options).arguments()
    let all = try AscpCommand(specification(fields), options: options).arguments()
    return Array(all.difference(from: bare).compactMap { if case .insert(_, let word, _) = $0 { word } else { nil } })
  }

  private static let switches = [
    "apply_local_docroot": "--apply-local-docroot", "delete_before_transfer": "--delete-before-transfer",
    "fail_bad_filepass": "--fail-bad-filepass", "precalculate_job_size": "--precalculate-job-size",
    "preserve_access_time": "--preserve-access-time", "preserve_creation_time": "--preserve-creation-time",
    "preserve_file_owner_gid": "--preserve-file-owner-gid", "preserve_file_owner_uid": "--preserve-file-owner-uid",
    "preserve_modification_time": "--preserve-modification-time",
    "preserve_source_access_time": "--preserve-source-access-time", "preserve_times": "-p",
    "remove_after_transfer": "--remove-after-transfer", "remove_empty_directories": "--remove-empty-directories",
    "remove_empty_source_directory": "--remove-empty-source-directory",
    "remove_empty_source_dir": "--remove-empty-source-directory", "save_before_overwrite": "--save-before-overwrite",
    "skip_duplicate_check": "--skip-dir-traversal-dupes", "skip_special_files": "--skip-special-files",
    "create_dir": "-d", "use_system_ssh": "-SSH", "keepalive": "--keepalive",
  ]

  private static let options: [(field: String, value: JSONValue, arguments: [String])] = [
    ("exclude_newer_than", "-86400", ["--exclude-newer-than", "-86400"]),
    ("exclude_older_than", "2026-01-01T00:00:00Z", ["--exclude-older-than", "2026-01-01T00:00:00Z"]),
    ("file_checksum", "sha-512", ["--file-checksum", "sha-512"]),
    ("move_after_transfer", "/sent", ["--move-after-transfer", "/sent"]),
    ("multi_session_threshold", 0, ["--multi-session-threshold", "0"]),
    ("overwrite", "never", ["--overwrite", "never"]), ("overwrite", "diff+older", ["--overwrite", "diff+older"]),
    ("preserve_acls", "native", ["--preserve-acls", "native"]),
    ("preserve_extended_attrs", "metafile", ["--preserve-xattrs", "metafile"]),
    ("preserve_remote_acls", "none", ["--remote-preserve-acls", "none"]),
    ("preserve_remote_extended_attrs", "native", ["--remote-preserve-xattrs", "native"]),
    ("resume_policy", "full_csum", ["-k", "3"]), ("src_base64", "L2E=", ["--src-base64", "L2E="]),
    ("symlink_policy", "copy+force", ["--symbolic-links", "copy+force"]), ("dgram_size", 1492, ["-Z", "1492"]),
    ("precalculate_job_size", false, ["--precalculate-disable"]),
    ("http_fallback", "force", ["-y", "F"]), ("http_fallback", "1", ["-y", "1"]), ("http_fallback", "0", ["-y", "0"]),
    ("cipher", "aes-128", ["-c", "aes128"]), ("cipher", "aes128", ["-c", "aes128"]),
    ("cipher", "aes256gcm", ["-c", "aes256gcm"]), ("min_rate_kbps", 5, ["-m", "5"]),
    ("delete_source", true, Array(deletion)),
  ]

  private static let deletion = [
    "--remove-after-transfer", "--remove-empty-directories", "--remove-empty-source-directory",
  ]

  func testEveryFieldThatAffectsFilesIsAnOptionOfAscp() throws {
    for (field, option) in Self.switches {
      XCTAssertEqual(try arguments([field: true] as JSONValue), [option], field)
      let off = try arguments([field: false] as JSONValue)
      XCTAssertEqual(off, field == "precalculate_job_size" ? ["--precalculate-disable"] : [], field)
    }
    for (field, value, expected) in Self.options {
      XCTAssertEqual(try arguments([field: value] as JSONValue), expected, field)
    }
    XCTAssertEqual(
      try arguments(["remove_after_transfer": true, "remove_skipped": true]),
      ["--remove-after-transfer", "--remove-skipped"])
  }

  func testFieldsNotMeantForAscpAddNoArguments() throws {
    let fields: JSONValue = [
      "title": "Two\nlines", "lock_min_rate": true, "lock_rate_policy": true, "lock_target_rate_kbps": false,
      "min_rate_cap_kbps": 0, "target_rate_cap_kbps": 100, "rate_policy_allowed": "fixed", "cipher_allowed": "aes-128",
      "authentication": "token", "id": "c8d4", "public_keys": "ssh-rsa AAAA", "token_life_seconds": 60,
      "aspera_connect_settings": ["app_id": "x"],
    ]
    XCTAssertEqual(try arguments(fields), [])
  }

  func testFieldsOfTheNodeAPIAreOptionsOfAscp() throws {
    let filters: JSONValue = [["include": "*.jpg"], ["exclude": "-x"], ["include": "b"]]
    for (field, value, expected) in [
      ("preserve_xattrs", "native", ["--preserve-xattrs", "native"]),
      ("remote_preserve_xattrs", "metafile", ["--remote-preserve-xattrs", "metafile"]),
      ("remote_preserve_acls", "none", ["--remote-preserve-acls", "none"]),
      ("read_block_size", 65_536, ["-g", "65536"]), ("write_block_size", 0, ["-G", "0"]),
      ("filters", filters, ["-N", "*.jpg", "-E", "-x", "-N", "b"]), ("filters", .array([]), []),
      ("wss_cert_auth_path", "/ca.pem", []),
    ] as [(String, JSONValue, [String])] {
      XCTAssertEqual(try arguments([field: value] as JSONValue), expected, field)
    }
    let values: [JSONValue] = [
      ["filters": "*.jpg"], ["filters": [["include": "a", "exclude": "b"]]], ["filters": [["only": "a"]]],
      ["filters": [["include": ""]]], ["filters": [["include": "a\nb"]]], ["filters": [["include": 1]]],
      ["read_block_size": 600_000_000], ["write_block_size": -1],
      ["preserve_xattrs": "native", "preserve_extended_attrs": "native"],
      ["remote_preserve_acls": "none", "preserve_remote_acls": "native"],
    ]
    for value in values { XCTAssertEqual(try refusal(value).code, .invalidSpecification, "\(value)") }
  }

  func testCertificatesOfTheSpecificationCheckTheServerOfAWebSocket() throws {
    var spec = specification([
      "wss_enabled": true, "wss_port": 443, "token": "ATB2_A_2BTA", "wss_cert_auth_path": "/ca.pem",
    ])
    XCTAssertEqual(try AscpCommand(spec).arguments().prefix(4), ["-q", "-i", "/ca.pem", "--ws-connect"])
    var options = AscpOptions()
    options.certificatesPath = "/own.pem"
    XCTAssertEqual(try AscpCommand(spec, options: options).arguments()[2], "/own.pem")
    spec.fields["wss_cert_auth_path"] = nil
    XCTAssertFalse(try AscpCommand(spec).arguments().contains("-i"))
  }

  func testIDsOfFoldersMustBeInTheTags() throws {
    let tags: JSONValue = ["aspera": ["node": ["access_key": "AK", "file_id": "7"]]]
    for (direction, remote, local) in [
      ("send", "destination_root_id", "source_root_id"), ("receive", "source_root_id", "destination_root_id"),
    ] as [(JSONValue, String, String)] {
      let fields: JSONValue = ["direction": direction, "remote_access_key": "AK", remote: "7", "tags": tags]
      let bare = try AscpCommand(specification(["direction": direction, "tags": tags])).arguments()
      XCTAssertEqual(try AscpCommand(specification(fields)).arguments(), bare)
      for (name, id) in [(remote, "8"), ("remote_access_key", "AK2"), (local, "7")] {
        let wrong: JSONValue = ["direction": direction, "tags": tags, name: .string(id)]
        let error = try refusal(wrong)
        XCTAssertEqual(error.code, .unsupported)
        XCTAssertTrue(error.message.contains("field \(name)"), error.message)
      }
      XCTAssertEqual(try refusal(["direction": direction, remote: "7"]).code, .unsupported)
    }
  }

  private func refusal(_ fields: JSONValue, _ options: AscpOptions = .init()) throws -> AsperaError {
    do {
      let command = try AscpCommand(specification(fields), options: options)
      throw Unexpected(text: "\(fields) made \(command)")
    } catch let error as AsperaError {
      return error
    }
  }

  private struct Unexpected: Error { let text: String }

  func testFieldsWithoutAnAscpOptionAreRejectedByName() throws {
    let values: JSONValue = [
      "fasp_proxy": ["host": "h"], "icos": ["bucket": "b"], "password": "hidden-1", "retry_duration": "5min",
      "ssh_args": ["-oProxyCommand=hidden-2"], "target_rate_percentage": "50", "fasp_url": "faspe://hidden-3",
      "obfuscate_file_names": true, "compression": 1, "read_threads": 4, "write_threads": 4, "xfer_max_retries": 3,
      "content_protection_passphrase": "hidden-4", "overwrite_policy": "never", "resume": "none", "download_name": "x",
      "exclude": ["*.tmp"], "made_up": "hidden-5", "Overwrite": "never", "overwrite ": "never",
    ]
    for (name, value) in try XCTUnwrap(values.object) {
      let error = try refusal([name: value] as JSONValue)
      XCTAssertEqual(error.code, .unsupported, name)
      if !name.contains(" ") { XCTAssertTrue(error.message.contains("field \(name) "), "\(error)") }
      XCTAssertFalse("\(error)".contains("hidden"), name)
      XCTAssertFalse(error.remedy.isEmpty)
      XCTAssertNoThrow(try AscpCommand(specification([name: .null] as JSONValue)), name)
      var options = AscpOptions()
      options.ignoredFields = [name]
      XCTAssertEqual(
        try AscpCommand(specification([name: value] as JSONValue), options: options).arguments(),
        try AscpCommand(specification()).arguments(), name)
    }
    XCTAssertNoThrow(try AscpCommand(specification(["obfuscate_file_names": false])))
  }

  func testUnknownFieldNameWithControlCharactersIsNotShown() throws {
    for name in ["a\u{1b}[2J", "a\nb", String(repeating: "x", count: 65), "", "überschreiben"] {
      let error = try refusal([name: 1] as JSONValue)
      XCTAssertTrue(error.message.contains("of \(name.utf8.count) bytes that cannot be shown"), error.message)
    }
  }

  /// Covers U+212A, which Swift considers equal to K, but which is another character on the wire.
  func testFieldNamesAreComparedByBytes() throws {
    XCTAssertEqual(try refusal(["\u{212A}eepalive": true]).code, .unsupported)
    XCTAssertEqual(try refusal(["to\u{212A}en": "Basic x"]).code, .unsupported)
    var options = AscpOptions()
    options.ignoredFields = ["caf\u{e9}"]
    XCTAssertEqual(try refusal(["cafe\u{301}": 1], options).code, .unsupported)
  }

  func testFieldWithAnAscpOptionCannotBeIgnored() throws {
    var options = AscpOptions()
    options.ignoredFields = ["overwrite", "remove_after_transfer"]
    let command = try AscpCommand(specification(["overwrite": "never"]), options: options)
    XCTAssertTrue(command.arguments().contains("--overwrite"))
  }

  func testValueOfAnotherTypeIsRejected() throws {
    let values: [JSONValue] = [
      ["overwrite": "sometimes"], ["overwrite": true], ["remove_after_transfer": "true"], ["delete_source": 1],
      ["symlink_policy": "none"], ["move_after_transfer": ""], ["move_after_transfer": "a\nb"],
      ["exclude_newer_than": -86_400], ["file_checksum": "sha-1"], ["preserve_acls": true], ["preserve_times": "yes"],
      ["dgram_size": "1492"], ["multi_session_threshold": -1], ["remove_skipped": .array([])], ["src_base64": "?"],
      ["lock_min_rate": "true"], ["title": 1],
    ]
    for value in values { XCTAssertEqual(try refusal(value).code, .invalidSpecification, "\(value)") }
  }

  func testContradictoryFieldsAreRejected() throws {
    let values: [JSONValue] = [
      ["delete_source": true, "remove_after_transfer": false], ["delete_source": false, "remove_after_transfer": true],
      ["delete_source": true, "move_after_transfer": "/sent"],
      ["remove_after_transfer": true, "move_after_transfer": "/sent"], ["remove_skipped": true],
      ["remove_empty_source_dir": true, "remove_empty_source_directory": false],
      ["src_base": "/a", "src_base64": "L2E="],
    ]
    for value in values { XCTAssertEqual(try refusal(value).code, .invalidSpecification, "\(value)") }
  }

  func testFilePoliciesHaveSwiftProperties() throws {
    var spec = specification()
    spec.overwritePolicy = .never
    spec.symbolicLinkPolicy = .skip
    spec.removesSources = true
    XCTAssertEqual(spec.fields["overwrite"], "never")
    XCTAssertEqual(spec.overwritePolicy, .never)
    XCTAssertEqual(spec.symbolicLinkPolicy, .skip)
    XCTAssertEqual(spec.removesSources, true)
    XCTAssertNil(spec.sourceArchive)
    spec.removesSources = nil
    spec.sourceArchive = "/sent"
    XCTAssertEqual(spec.fields["move_after_transfer"], "/sent")
    XCTAssertNil(spec.fields["remove_after_transfer"])
  }
}
