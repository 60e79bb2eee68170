/// A code that ascp gives in the field `Code` of a management frame.
///
/// The numbers in ascp's own log (`errcode=`) are other numbers.
public struct AscpErrorCode: Sendable, Hashable {
  /// The number.
  public let code: Int

  /// The name that Aspera's tools use for it, such as `AUTH`.
  public let name: String

  /// What it means where no text says more.
  public let failureClass: AscpFailureClass

  /// Whether the same transfer can succeed a little later, as far as the code alone says.
  ///
  /// This is aspera-cli's list but for 37: that is the same as 34, a question of the token.
  public var isRetryable: Bool { failureClass.isRetryable }

  /// Looks a code up.
  ///
  /// - Parameter code: The number in a frame.
  /// - Returns: Nothing for a number that the table does not have.
  public init?(_ code: Int) {
    guard Self.all.indices.contains(code) else { return nil }
    self = Self.all[code]
  }

  private init(code: Int, name: String, failureClass: AscpFailureClass) {
    self.code = code
    self.name = name
    self.failureClass = failureClass
  }

  /// All codes, from 0 on without a gap.
  public static let all: [AscpErrorCode] = table.enumerated().map { code, row in
    AscpErrorCode(code: code, name: row.name, failureClass: row.meaning)
  }

  private static let table: [(name: String, meaning: AscpFailureClass)] = [
    ("UNKNOWN", .other), ("FASP_PROTO", .other), ("ASCP", .other), ("AMBIGUOUS_TARGET", .caller),
    ("NO_SUCH_FILE", .caller), ("NO_PERMS", .authorizationDenied), ("NOT_DIR", .caller), ("IS_DIR", .caller),
    ("USAGE", .caller), ("LIC_DUP", .license), ("LIC_RATE_EXCEEDED", .license), ("INTERNAL_ERROR", .other),
    ("TRANSFER_ERROR", .transport), ("TRANSFER_TIMEOUT", .transport), ("CONNECTION_ERROR", .transport),
    ("CONNECTION_TIMEOUT", .transport), ("CONNECTION_LOST", .transport), ("RCVR_SEND_ERROR", .transport),
    ("RCVR_RECV_ERROR", .transport), ("AUTH", .account), ("NOTHING", .caller), ("NOT_REGULAR", .caller),
    ("FILE_TABLE_OVR", .other), ("TOO_MANY_FILES", .transport), ("FILE_TOO_BIG", .caller), ("NO_SPACE_LEFT", .other),
    ("READ_ONLY_FS", .other), ("SOME_FILE_ERRS", .other), ("USER_CANCEL", .other), ("LIC_NOLIC", .license),
    ("LIC_EXPIRED", .license), ("SOCK_SETUP", .other), ("OUT_OF_MEMORY", .transport), ("THREAD_SPAWN", .transport),
    ("UNAUTHORIZED", .authorizationDenied), ("DISK_READ", .transport), ("DISK_WRITE", .transport),
    ("AUTHORIZATION", .authorizationDenied), ("LIC_ILLEGAL", .license), ("PEER_ABORTED_SESSION", .transport),
    ("DATA_TRANSFER_TIMEOUT", .transport), ("BAD_PATH", .caller), ("ALREADY_EXISTS", .caller),
    ("STAT_FAILS", .caller), ("PMTU_BRTT_ERROR", .transport), ("BWMEAS_ERROR", .transport), ("VLINK_ERROR", .other),
    ("CONNECTION_ERROR_HTTP", .other), ("FILE_ENCRYPTION_ERROR", .other), ("FILE_DECRYPTION_PASS", .caller),
    ("BAD_CONFIGURATION", .other), ("INSECURE_CONNECTION", .hostKey), ("START_VALIDATION_FAILED", .other),
    ("STOP_VALIDATION_FAILED", .other), ("THRESHOLD_VALIDATION_FAILED", .other), ("FILEPATH_TOO_LONG", .caller),
    ("ILLEGAL_CHARS_IN_PATH", .caller), ("CHUNK_MUST_MATCH_ALIGNMENT", .caller), ("VALIDATION_SESSION_ABORT", .other),
    ("REMOTE_STORAGE_ERROR", .other), ("LUA_SCRIPT_ABORTED_SESSION", .other), ("SSEAR_RETRYABLE", .transport),
    ("SSEAR_FATAL", .other), ("LINK_LOOP", .caller), ("CANNOT_RENAME_PARTIAL_FILES", .other),
    ("CIPHER_NON_COMPAT_FIPS", .caller), ("PEER_REQUIRES_FIPS", .caller),
  ]
}
