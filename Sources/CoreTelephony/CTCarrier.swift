// SPDX-License-Identifier: MIT

public import Foundation
internal import SystemServices

/// A cellular operator.
///
///     let carriers = CTTelephonyNetworkInfo().serviceSubscriberCellularProviders ?? [:]
///     for carrier in carriers.values {
///         print(carrier.carrierName ?? "no network", carrier.isoCountryCode ?? "")
///     }
///
/// An object doesn't change. Read ``CTTelephonyNetworkInfo/serviceSubscriberCellularProviders`` again for the latest
/// values. Objects with equal values are equal.
///
/// On Apple's systems a carrier is the operator of the SIM card. ModemManager reports the network in use, which
/// differs while the modem is roaming.
open class CTCarrier: NSObject {
    private let modem: CellularModem?

    /// Creates a carrier without values; for subclasses in tests.
    public override init() {
        modem = nil
        super.init()
    }

    init(_ modem: CellularModem?) {
        self.modem = modem
        super.init()
    }

    /// The name of the operator; nil if it isn't known, for example without a network.
    open var carrierName: String? { modem?.operatorName }

    /// The mobile country code, three digits, for example `262`; nil if it isn't known.
    open var mobileCountryCode: String? {
        modem?.operatorCode.map { String($0.prefix(3)) }
    }

    /// The mobile network code, two or three digits, for example `01`; nil if it isn't known.
    open var mobileNetworkCode: String? {
        modem?.operatorCode.map { String($0.dropFirst(3)) }
    }

    /// The country of ``mobileCountryCode`` as ISO 3166-1 code in lower case, for example `de`; nil if it isn't
    /// known, and for international networks.
    ///
    /// Territories that share a mobile country code have the ISO code of the largest.
    open var isoCountryCode: String? {
        mobileCountryCode.flatMap(isoCountry(forMobileCountryCode:))
    }

    /// Whether the operator allows calls over the internet; always true, because ModemManager doesn't report it.
    open var allowsVOIP: Bool { true }

    private var values: [String?] {
        [carrierName, mobileCountryCode, mobileNetworkCode, isoCountryCode, "\(allowsVOIP)"]
    }

    /// Whether the other object is a carrier with the same values.
    open override func isEqual(_ object: Any?) -> Bool {
        (object as? CTCarrier)?.values == values
    }

    /// Hashes the values; equal carriers have equal hashes.
    open override var hash: Int { values.hashValue }

    /// The name and the codes, for example `Example (262 01, de)`.
    open override var description: String {
        let codes = [mobileCountryCode, mobileNetworkCode].compactMap(\.self).joined(separator: " ")
        let details = [codes.isEmpty ? nil : codes, isoCountryCode].compactMap(\.self)
        return (carrierName ?? "unknown")
            + (details.isEmpty ? "" : " (\(details.joined(separator: ", ")))")
    }
}

/// The ISO 3166-1 code, in lower case, of a mobile country code of ITU-T E.212; nil if no country has the code.
func isoCountry(forMobileCountryCode code: String) -> String? {
    countries[code]
}

private let countries = Dictionary(
    uniqueKeysWithValues: table.split { $0.isWhitespace }.map { entry in
        (String(entry.prefix(3)), String(entry.suffix(2)))
    })

// Complement to ITU-T E.212, "List of mobile country or geographical area codes". Where areas share a code, the
// table lists the largest.
private let table = """
    202gr 204nl 206be 208fr 212mc 213ad 214es 216hu 218ba 219hr 220rs 221xk 222it 225va 226ro 228ch 230cz
    231sk 232at 234gb 235gb 238dk 240se 242no 244fi 246lt 247lv 248ee 250ru 255ua 257by 259md 260pl 262de
    266gi 268pt 270lu 272ie 274is 276al 278mt 280cy 282ge 283am 284bg 286tr 288fo 289ge 290gl 292sm 293si
    294mk 295li 297me
    302ca 308pm 310us 311us 312us 313us 314us 315us 316us 330pr 332vi 334mx 338jm 340gp 342bb 344ag 346ky
    348vg 350bm 352gd 354ms 356kn 358lc 360vc 362cw 363aw 364bs 365ai 366dm 368cu 370do 372ht 374tt 376tc
    400az 401kz 402bt 404in 405in 406in 410pk 412af 413lk 414mm 415lb 416jo 417sy 418iq 419kw 420sa 421ye
    422om 424ae 425il 426bh 427qa 428mn 429np 430ae 431ae 432ir 434uz 436tj 437kg 438tm 440jp 441jp 450kr
    452vn 454hk 455mo 456kh 457la 460cn 461cn 466tw 467kp 470bd 472mv
    502my 505au 510id 514tl 515ph 520th 525sg 528bn 530nz 536nr 537pg 539to 540sb 541vu 542fj 543wf 544as
    545ki 546nc 547pf 548ck 549ws 550fm 551mh 552pw 553tv 554tk 555nu
    602eg 603dz 604ma 605tn 606ly 607gm 608sn 609mr 610ml 611gn 612ci 613bf 614ne 615tg 616bj 617mu 618lr
    619sl 620gh 621ng 622td 623cf 624cm 625cv 626st 627gq 628ga 629cg 630cd 631ao 632gw 633sc 634sd 635rw
    636et 637so 638dj 639ke 640tz 641ug 642bi 643mz 645zm 646mg 647re 648zw 649na 650mw 651ls 652bw 653sz
    654km 655za 657er 658sh 659ss
    702bz 704gt 706sv 708hn 710ni 712cr 714pa 716pe 722ar 724br 730cl 732co 734ve 736bo 738gy 740ec 742gf
    744py 746sr 748uy 750fk 995io
    """
