internal import StorageAuth
internal import StorageCrypto

/// What a V4 signing key is bound to: a day, a region and a product.
struct OSSV4Scope {
  let date: Timestamp
  let region: String
  let product: String

  /// Appends the scope: `20261120/cn-hangzhou/oss/aliyun_v4_request`.
  func append(to writer: inout ByteWriter) {
    writer.append(compactDate: date)
    writer.append(UInt8(ascii: "/"))
    writer.append(region)
    writer.append(UInt8(ascii: "/"))
    writer.append(product)
    writer.append(UInt8(ascii: "/"))
    writer.append(OSSText.v4Request)
  }

  /// Appends the string to sign of a canonical request that hashes to `hash`.
  func append(stringToSign hash: Digest, date: Timestamp, to writer: inout ByteWriter) {
    append(stringToSign: hash, dateLine: { $0.append(basicDate: date) }, to: &writer)
  }

  /// Appends the string to sign of a canonical request that hashes to `hash`, with a date line of its own form.
  func append(
    stringToSign hash: Digest, dateLine: (inout ByteWriter) -> Void, to writer: inout ByteWriter
  ) {
    writer.append(OSSText.v4Algorithm)
    writer.append(UInt8(ascii: "\n"))
    dateLine(&writer)
    writer.append(UInt8(ascii: "\n"))
    append(to: &writer)
    writer.append(UInt8(ascii: "\n"))
    writer.append(hex: hash)
  }

  /// The signing key of an access key, derived once a day.
  func signingKey(of key: AccessKey) -> HMACKey<SHA256> {
    let scope = KeyScope(from: date.dayNumber, to: date.dayNumber, region: region, service: product)
    return key.signingKey(for: scope) { secret in
      let dateKey = HMACKey<SHA256>(writing: {
        $0.append("aliyun_v4")
        $0.append(secret)
      }).derivedKey { $0.append(compactDate: date) }
      let regionKey = dateKey.derivedKey { $0.append(region) }
      let productKey = regionKey.derivedKey { $0.append(product) }
      return productKey.derivedKey { $0.append(OSSText.v4Request) }
    }
  }
}
