// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A command-line option that the simulator accepts, which Aspera's own tools pass to ascp.
///
/// An option that affects files is implemented (see ``FileRules``), or rejected with a reason (see ``rejection(of:)``).
/// An option that affects only the connection or the speed, such as a rate or a log folder, has no effect on purpose.
/// Documentation/Internals/LocalCloud.md lists all of them.
enum AscpOption: String, CaseIterable {
  // Flags

  case quiet = "-q", version = "-A", createFolder = "-d", useSystemSSH = "-SSH", encodedDestination = "--dest64"
  case webSocket = "--ws-connect", persistent = "--keepalive", passwordPrompt = "--allow-password-prompt"
  case ignoreHostKey = "--ignore-host-key", removeSources = "--remove-after-transfer"
  case removeEmptyFolders = "--remove-empty-directories", removeEmptySource = "--remove-empty-source-directory"
  case skipSpecialFiles = "--skip-special-files", preserveTimes = "-p"
  case preserveModificationTime = "--preserve-modification-time", preserveCreationTime = "--preserve-creation-time"
  case preserveAccessTime = "--preserve-access-time", preserveSourceAccessTime = "--preserve-source-access-time"
  case preserveOwner = "--preserve-file-owner-uid", preserveGroup = "--preserve-file-owner-gid"
  case removeSkipped = "--remove-skipped", deleteBefore = "--delete-before-transfer"
  case saveBeforeOverwrite = "--save-before-overwrite", skipDuplicates = "--skip-dir-traversal-dupes"
  case applyLocalDocroot = "--apply-local-docroot", failBadPassphrase = "--fail-bad-filepass"
  case precalculate = "--precalculate-job-size", noPrecalculation = "--precalculate-disable"

  // Options with a value

  case overwrite = "--overwrite", symbolicLinks = "--symbolic-links", excludeNewer = "--exclude-newer-than"
  case excludeOlder = "--exclude-older-than", checksum = "--file-checksum", moveSources = "--move-after-transfer"
  case exclude = "-E", include = "-N", preserveACLs = "--preserve-acls", preserveAttributes = "--preserve-xattrs"
  case preserveRemoteACLs = "--remote-preserve-acls", preserveRemoteAttributes = "--remote-preserve-xattrs"
  case multiSessionThreshold = "--multi-session-threshold", datagramSize = "-Z", key = "-i", sshPort = "-P"
  case udpPort = "-O", token = "-W", management = "-M", logFolder = "-L", debug = "-D", configuration = "-f"
  case remoteProgram = "-S", cipher = "-c", targetRate = "-l", minimumRate = "-m", resume = "-k", fallback = "-y"
  case fallbackCertificate = "-I", fallbackKey = "-Y", fallbackPort = "-t", multiSession = "-C", user = "--user"
  case host = "--host", mode = "--mode", fingerprint = "--check-sshfp", tags = "--tags", encodedTags = "--tags64"
  case sshArgument = "--ssh-arg", manifest = "--file-manifest", manifestFolder = "--file-manifest-path"
  case fileList = "--file-list", filePairList = "--file-pair-list", encodedSourcePrefix = "--source-prefix64"
  case encodedSourceBase = "--src-base64", policy = "--policy", proxy = "--proxy", contentProtection = "--file-crypt"

  var isFlag: Bool {
    switch self {
    case .quiet, .version, .createFolder, .useSystemSSH, .encodedDestination, .webSocket, .persistent, .passwordPrompt,
      .ignoreHostKey, .removeSources, .removeEmptyFolders, .removeEmptySource, .skipSpecialFiles, .preserveTimes,
      .preserveModificationTime, .preserveCreationTime, .preserveAccessTime, .preserveSourceAccessTime, .preserveOwner,
      .preserveGroup, .removeSkipped, .deleteBefore, .saveBeforeOverwrite, .skipDuplicates, .applyLocalDocroot,
      .failBadPassphrase, .precalculate, .noPrecalculation:
      true
    default: false
    }
  }

  /// Whether a value can follow the option directly, as in `-P33001`.
  var isShort: Bool { !rawValue.hasPrefix("--") && self != .useSystemSSH }

  /// Returns the reason why the simulator rejects the option with a value, or `nil` if it accepts the option.
  func rejection(of value: String) -> String? {
    switch self {
    case .contentProtection, .failBadPassphrase: "it does not encrypt files"
    case .proxy: "it would connect without the proxy"
    case .applyLocalDocroot: "it has no docroot on this machine"
    case .preserveAccessTime, .preserveSourceAccessTime: "the node keeps no access times"
    case .preserveOwner, .preserveGroup: "the node keeps no owners"
    case .preserveACLs, .preserveAttributes, .preserveRemoteACLs, .preserveRemoteAttributes:
      value == "none" ? nil : "the node keeps neither access control lists nor extended attributes"
    default: nil
    }
  }
}
