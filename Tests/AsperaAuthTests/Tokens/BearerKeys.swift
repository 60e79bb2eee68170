// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// Disposable keys that were generated for these tests and are not used elsewhere.
enum BearerKeys {
  /// The passphrase of ``encrypted``.
  static let passphrase = "open-sesame"

  /// RSA of 1024 bits, traditional PEM, AES-128.
  static let encrypted = """
    -----BEGIN RSA PRIVATE KEY-----
    Proc-Type: 4,ENCRYPTED
    DEK-Info: AES-128-CBC,E59EE3BE6180889ED81D87E4147FA231

    CIjQM0hh1WmIUwg5qMZV5bxfSKx7ojwCL8Z9MmLMs78skb+ZvI9daGvlkcw3ShlB
    qk2qAFa5N2P+Z96zPs8fOWCyDX4/dC1VDBRD5griwjZRDQit0e7BLND2OxABY196
    dLal9zFkAJ3llE9nO9aGIzUqILnIkW+x3JwDEdWIStOOELeYTGp0Y+cTP/qCUNqd
    sD5JLVtcH+hWHagQfhK9HjG52/tdPXpbwiKEpWgYkvuSdu8WaUSnDy4I5iJz5z6K
    Av/2gtGuJ5AcaIifCq6pYFmuA4Yfn7K6L0GiD8h4YbO6QNanuTDFNTDuP0a5eXqI
    BB/aDcKPtt8A3v3frtzWAYBd9izwaIO5Az+JmXm9KR+L8KMreKDxyA6OgVuNU+yv
    2FRBrNtXaMrfuk7+MJPazukyabY32iuVW9iQQNiqgXiYjn0W+7CowGuTjOVdZOU6
    SvMKghHZ7iKkUZb5eFggUKf8LRCbzhDETkDu587Is7sgrkvlhrivulpIzTe2HxIi
    iYwf1D5PCvABSYoE4ZwZkSyQFdQL5+LZVr0E6uW2sa2KQRLLSyc8Kssob6sXM6p1
    293gfQUhSteew06jng/frYX162rpsZ5OLkmiwPM1dCCH1TxSiZ6c58YpvaySvQX2
    fcYP4Gw4Bi5q9Jx+46XmHCUlNLq4+M6QZKzEOvkGY4OHHtVJ8CGtXSd30b+hK8XY
    RPauRSA28GOWZnoosgSR4X15bnogy3GStOMfkFmMxcRH7f80c3rAtJ81hBXvXO9d
    2f9kYSlRYP0DARLQdimRr1I60iehXQJyMwprZF4aT1VMEklsI8brtnmZToREkVQA
    -----END RSA PRIVATE KEY-----
    """

  /// An RSA key of 512 bits: too short for a signature with SHA-512.
  static let short = """
    -----BEGIN PRIVATE KEY-----
    MIIBVQIBADANBgkqhkiG9w0BAQEFAASCAT8wggE7AgEAAkEA0CAENxV+gj7ffvU9
    P0n4rrLXpnPcKTI6Y+mz2mnpbyZAbElu6nh0UoD2+FphcO2OkL7KcHnFmm9XWJR+
    g6TSXwIDAQABAkEAidMp93B8frQ0PVcaYDcUQFyfAtPnEED6+f9h41oQBFIVuRxL
    reU/tYPFmACj7+3cIHIHtg9qQ1DBkPJu6HNNgQIhAPsjMYgPo+iwjHtYkmueTMu9
    tkohjRiMCvXdMfjhryNnAiEA1Cef3z6VCxLbjH7ah4nyR5OrWWyQd4chfDph0KVk
    NkkCIDRt6n9PVJbVlN6DZT4WdE3ss0vSqVRAmGEv5qjg5OFtAiEApee+u+PCxgAf
    NIVW+ztC/fpauvmNGAvSgcVeDL3p2hECIEJ/1b5H1u//V5DuHQDqrfMLsRQaEcdI
    Fs//IEYMSBV1
    -----END PRIVATE KEY-----
    """

  /// An ECDSA key, which cannot sign bearer tokens.
  static let elliptic = """
    -----BEGIN EC PRIVATE KEY-----
    MHcCAQEEIPvR0efs09hb7rQaK2Au7r5wvaIG9EfhERXnb241qtb2oAoGCCqGSM49
    AwEHoUQDQgAE61WqdOcPwELEqVLRml+4+m9aTb5mx/8SAr1638V93/Ls7BewhhdI
    KUte/QIZl5+kqja6FBgxld+d2WJ4ah/3oQ==
    -----END EC PRIVATE KEY-----
    """
}
