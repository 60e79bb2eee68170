// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

/// A command-line option that the simulator accepts, which Aspera's own tools pass to ascp.
///
/// Options that affect files are implemented or rejected (see ``FileRules``). Options that affect only the connection,
/// such as rates, ciphers, ports and logs, are accepted and ignored.
enum Option: String, CaseIterable {
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
  case precalculate = "--precalculate-job-size"
  case noPrecalculation = "--precalculate-disable"

  case overwrite = "--overwrite"
  case symbolicLinks = "--symbolic-links"
  case excludeNewer = "--exclude-newer-than"
  case excludeOlder = "--exclude-older-than"
  case checksum = "--file-checksum"
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
  case list = "--file-list"
  case pairList = "--file-pair-list"
  case encodedSourcePrefix = "--source-prefix64"
  case encodedSourceBase = "--src-base64"
  case policy = "--policy"
  case proxy = "--proxy"
  case contentProtection = "--file-crypt"

  /// Whether the option is a flag, which has no value.
  var isFlag: Bool {
    switch self {
    case .quiet, .version, .createFolder, .useSystemSSH, .encodedDestination, .webSocket, .persistent, .passwordPrompt,
      .ignoreHostKey, .removeSources, .removeEmptyFolders, .removeEmptySource, .skipSpecialFiles, .preserveTimes,
      .preserveModificationTime, .precalculate, .noPrecalculation:
      true
    default: false
    }
  }

  /// Whether a value can follow the option directly, as in `-P33001`.
  var isShort: Bool { !rawValue.hasPrefix("--") && self != .useSystemSSH }
}
