// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A command-line option that the simulator accepts, which Aspera's own tools pass to ascp.
///
/// An option that affects files is implemented (see ``FileRules``), or rejected with a reason (see ``rejection(of:)``).
/// An option that affects only the connection or the speed, such as a rate or a log folder, has no effect on purpose.
/// Documentation/Internals/LocalCloud.md lists all of them.
enum AscpOption: String, CaseIterable {
  case quiet = "-q"
  case version = "-A"
  case createFolder = "-d"
  case useSystemSSH = "-SSH"
  case encodedDestination = "--dest64"
  case webSocket = "--ws-connect"
  case persistent = "--keepalive"
  case passwordPrompt = "--allow-password-prompt"
  case ignoreHostKey = "--ignore-host-key"
  case removeSources = "--remove-after-transfer"
  case removeEmptyFolders = "--remove-empty-directories"
  case removeEmptySource = "--remove-empty-source-directory"
  case skipSpecialFiles = "--skip-special-files"
  case preserveTimes = "-p"
  case preserveModificationTime = "--preserve-modification-time"
  case preserveCreationTime = "--preserve-creation-time"
  case preserveAccessTime = "--preserve-access-time"
  case preserveSourceAccessTime = "--preserve-source-access-time"
  case preserveOwner = "--preserve-file-owner-uid"
  case preserveGroup = "--preserve-file-owner-gid"
  case removeSkipped = "--remove-skipped"
  case deleteBefore = "--delete-before-transfer"
  case saveBeforeOverwrite = "--save-before-overwrite"
  case skipDuplicates = "--skip-dir-traversal-dupes"
  case applyLocalDocroot = "--apply-local-docroot"
  case failBadPassphrase = "--fail-bad-filepass"
  case precalculate = "--precalculate-job-size"
  case noPrecalculation = "--precalculate-disable"

  case overwrite = "--overwrite"
  case symbolicLinks = "--symbolic-links"
  case excludeNewer = "--exclude-newer-than"
  case excludeOlder = "--exclude-older-than"
  case checksum = "--file-checksum"
  case moveSources = "--move-after-transfer"
  case exclude = "-E"
  case include = "-N"
  case preserveACLs = "--preserve-acls"
  case preserveAttributes = "--preserve-xattrs"
  case preserveRemoteACLs = "--remote-preserve-acls"
  case preserveRemoteAttributes = "--remote-preserve-xattrs"
  case multiSessionThreshold = "--multi-session-threshold"
  case datagramSize = "-Z"
  case key = "-i"
  case sshPort = "-P"
  case udpPort = "-O"
  case token = "-W"
  case management = "-M"
  case logFolder = "-L"
  case debug = "-D"
  case configuration = "-f"
  case remoteProgram = "-S"
  case cipher = "-c"
  case targetRate = "-l"
  case minimumRate = "-m"
  case resume = "-k"
  case fallback = "-y"
  case fallbackCertificate = "-I"
  case fallbackKey = "-Y"
  case fallbackPort = "-t"
  case multiSession = "-C"
  case user = "--user"
  case host = "--host"
  case mode = "--mode"
  case fingerprint = "--check-sshfp"
  case tags = "--tags"
  case encodedTags = "--tags64"
  case sshArgument = "--ssh-arg"
  case manifest = "--file-manifest"
  case manifestFolder = "--file-manifest-path"
  case fileList = "--file-list"
  case filePairList = "--file-pair-list"
  case encodedSourcePrefix = "--source-prefix64"
  case encodedSourceBase = "--src-base64"
  case policy = "--policy"
  case proxy = "--proxy"
  case contentProtection = "--file-crypt"

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
