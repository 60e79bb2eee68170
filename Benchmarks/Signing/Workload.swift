internal import CHashBlocks
internal import COSAuth
internal import HTTPTypes
internal import OSSAuth
internal import S3Auth
internal import StorageAuth
internal import StorageCrypto

/// One of the signing workloads: from a request to its Authorization header, or to the whole URL; fixed clock.
struct Workload {
  let name: String
  let about: String
  /// How many times longer than its hash blocks a signature may take: three for headers, four for URLs.
  let goal: Double
  /// The most allocations that one signature may take: the strings and the array that the result consists of and, for an
  /// S3 URL, the list of the signed names and the path that is signed.
  let allocationBudget: Double
  /// The most instructions outside of libcrypto that one signature may take.
  let instructionBudget: Int
  /// The signature that has to come out.
  let expected: String
  /// Signs once, and drops the result.
  let act: () throws -> Void
  /// Signs once and returns the header or the URL.
  let sign: () throws -> String
  /// Hashes as many blocks as a signature needs, and nothing else, as often as it is told.
  let hash: (Int) -> Void

  /// Where in a header or a URL the signature is.
  func signature(in text: String) -> String {
    if let sign = text.firstRange(of: "ignature=") {
      let value = text[sign.upperBound...].prefix { $0 != "&" }
      return String(decoding: String(value).percentDecodedBytes() ?? [], as: UTF8.self)
    }
    return String(text.split(separator: ":").last ?? "")
  }
}

/// How a workload comes by its key.
enum KeySource: CaseIterable {
  /// It has it.
  case held
  /// It asks a cache each time, as a client does.
  case cached

  func key(_ key: AccessKey, living end: Timestamp) -> () -> AccessKey {
    switch self {
    case .held: return { key }
    case .cached:
      let cache = CredentialCache(
        AccessKey(id: key.id, secret: key.secret, sessionToken: key.sessionToken, expiration: end))
      return { cache.current(lasting: .seconds(2))?.credential ?? .anonymous }
    }
  }
}

extension Workload {
  static func all(_ input: Inputs, keys: KeySource = .held) throws -> [Workload] {
    let end = max(.now, input.date).advanced(by: .seconds(30 * 86_400))
    func key(_ id: String, _ secret: String, _ token: String? = nil) -> () -> AccessKey {
      keys.key(AccessKey(id: id, secret: secret, sessionToken: token), living: end)
    }
    let ossKey = key(input.ossID, input.ossSecret, input.token)
    let ossKeyAlone = key(input.ossID, input.ossSecret)
    let cosKey = key(input.cosID, input.cosSecret, input.token)
    let cosKeyAlone = key(input.cosID, input.cosSecret)
    let context = SigningContext(date: input.date)
    let v1 = OSSSigner(.v1, bucket: input.ossBucket)
    let v4 = OSSSigner(.v4, bucket: input.ossBucket, region: input.ossRegion)
    let cos = COSSigner()
    let put = input.ossPut
    let get = input.ossGet
    let part = input.cosPart
    let cosGet = input.cosGet
    let s3Key = key(input.s3ID, input.s3Secret, input.token)
    let s3KeyAlone = key(input.s3ID, input.s3Secret)
    let s3 = S3Signer(region: input.s3Region)
    let s3Body = s3.with(payload: .sha256(input.s3BodyHash))
    let s3Put = input.s3Put
    let s3Get = input.s3Get
    func header(
      _ name: String, _ about: String, allocations: Double, instructions: Int, expected: String? = nil,
      _ blocks: HashBlocks, _ sign: @escaping () throws -> HTTPRequest
    ) -> Workload {
      Workload(
        name: name, about: about, goal: 3, allocationBudget: allocations, instructionBudget: instructions,
        expected: input.signature(expected ?? name), act: { take(try sign()) },
        sign: { try sign().headerFields[.authorization] ?? "" }, hash: blocks.run)
    }
    func url(
      _ name: String, _ about: String, allocations: Double, instructions: Int, _ blocks: HashBlocks,
      _ sign: @escaping () throws -> PresignedRequest
    ) -> Workload {
      Workload(
        name: name, about: about, goal: 4, allocationBudget: allocations, instructionBudget: instructions,
        expected: input.signature(name), act: { take(try sign()) }, sign: { try sign().url }, hash: blocks.run)
    }
    let lifetime = input.lifetime
    return [
      header(
        "W1", "OSS V1 header", allocations: 3, instructions: 14_200, HashBlocks(hash_blocks_sha1, authenticated: 789)
      ) { try v1.signed(put, with: ossKey(), in: context) },
      url("W2", "OSS V1 URL", allocations: 1, instructions: 8_100, HashBlocks(hash_blocks_sha1, authenticated: 95)) {
        try v1.presign(get, with: ossKeyAlone(), validFor: lifetime, in: context)
      },
      header(
        "W3", "OSS V4 header", allocations: 3, instructions: 21_000,
        HashBlocks(hash_blocks_sha256, hashed: 870, authenticated: 141)
      ) { try v4.signed(put, with: ossKey(), in: context) },
      header(
        "W4", "COS V5 header", allocations: 2, instructions: 24_000, expected: "W4_nodate",
        HashBlocks(hash_blocks_sha1, hashed: 1026, authenticated: 68)
      ) { try cos.signed(part, with: cosKey(), in: context) },
      url(
        "W5", "COS V5 URL", allocations: 1, instructions: 9_400,
        HashBlocks(hash_blocks_sha1, hashed: 97, authenticated: 68)
      ) { try cos.presign(cosGet, with: cosKeyAlone(), validFor: lifetime, in: context) },
      header(
        "W6", "S3 V4 header", allocations: 3, instructions: 34_000,
        HashBlocks(hash_blocks_sha256, hashed: 1119, authenticated: 136)
      ) { try s3Body.signed(s3Put, with: s3Key(), in: context) },
      url(
        "W7", "S3 V4 URL", allocations: 2, instructions: 18_200,
        HashBlocks(hash_blocks_sha256, hashed: 331, authenticated: 136)
      ) { try s3.presign(s3Get, with: s3KeyAlone(), validFor: lifetime, in: context) },
    ]
  }
}

/// The hash blocks of a signature, as C hashes them.
struct HashBlocks {
  let function: hash_blocks_function
  let hashed: Int32
  let authenticated: Int32

  init(_ function: hash_blocks_function, hashed: Int32 = 0, authenticated: Int32) {
    self.function = function
    self.hashed = hashed
    self.authenticated = authenticated
  }

  func run(_ count: Int) {
    take(hash_blocks_run(function, hashed, authenticated, Int32(count)))
  }
}
