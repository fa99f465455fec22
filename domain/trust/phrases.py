"""Phrases that instruct whoever reads them, in the languages that they are met in.

Each is a pattern over a text that was folded (see ``suspicion``): lower case, Latin and Cyrillic
letters without their marks. The kinds are those of the published taxonomies of prompt injection
(OWASP LLM01): overriding what was said before, another persona, forged roles, secrecy towards the
user, carrying data away, revealing what is hidden.
"""

from typing import Final

_GAP: Final = r"[^\n.!?]{0,40}?"
"""A few words between two that belong together."""

_IMPERATIVE: Final = (
    r"(?:^|[.!?:;,|\n\"'(>*-]\s*|\b(?:must|should|please|always|then|now|and|immediately|to)\s+)"
)

_MACHINE: Final = r"(?:ai|llm|language model|assistant|chatbot|ai agent)s?"
"""Who is meant by nothing else; an agent, a model or a bot may be something else."""

STATUSES: Final = (
    (
        r"\byou are (?:now|no longer) (?:(?:also|already|successfully|fully|automatically) )?(?:"
        r"(?:un)?able|ready|eligible|online|offline|live|idle|away|up to date|part of|leaving|viewing"
        r"|using|running|sharing|receiving|watching|editing|following|logged (?:in|out|on|off)"
        r"|signed (?:in|out|up|on|off)|checked (?:in|out)|set up|caught up|opted (?:in|out)|(?:dis)?connected"
        r"|(?:un)?subscribed|(?:de|un)?registered|(?:un|dis)?enrolled|(?:re)?authenticated|verified"
        r"|vaccinated|insured|booked|scheduled|invited|added|removed|joined|(?:un)?muted|(?:un)?blocked"
        r"|(?:un)?assigned to|(?:un)?listed|on call|on hold|on (?:branch|version|page|step|level)"
        r"|on (?:the|our) (?:[\w-]+ ){0,2}(?:plan|list|waitlist|team|branch|version|tier|network|page)"
        r"|in (?:the |a |an |our |your )?(?:[\w-]+ ){0,2}(?:queue|beta|pro(?:gramme|gram)|waitlist|list"
        r"|channel|group|team|meeting|call|room|lobby|workspace|folder|directory|branch|trial|course)"
        r"|in (?:the )?(?:read-only|offline|dark|light|safe|edit|insert|preview|guest|airplane|private"
        r"|full-?screen|trial|demo|power[- ]saving) mode"
        r"|(?:a|the|one of the) (?:new |verified |registered |active )?(?:member|contributor|collaborator"
        r"|maintainer|subscriber|follower|participant|attendee|reviewer|customer|guest|(?:co-?)?host"
        r"|assignee)"
        r"|(?:an?|the) (?:(?:co-?)?owner|administrator|admin|moderator|organi[sz]er|editor) (?:of|for|in)"
        r")\b"
    ),
    (
        r"\bdu bist (?:jetzt|nun|ab (?:jetzt|sofort)|nicht mehr) (?:\w+ )?(?:angemeldet|eingeloggt"
        r"|abgemeldet|ausgeloggt|verbunden|registriert|eingetragen|abonniert|freigeschaltet|online"
        r"|offline|mitglied|teilnehmer(?:in)?|bereit|dabei)\b"
    ),
    (
        r"\b(?:tu es|vous etes) (?:maintenant|desormais|a present|dorenavant) (?:(?:de)?connectee?s?"
        r"|inscrite?s?|abonnee?s?|membres?|enregistree?s?|identifiee?s?|prete?s?|en ligne"
        r"|hors ligne)\b"
    ),
    r"\b(?:ahora eres|ya no eres) (?:miembro|suscriptora?|usuari[oa] registrad[oa]|participante)\b",
    (
        r"\b(?:ora sei|adesso sei|non sei piu) (?:(?:dis)?conness[oa]|iscritt[oa]|registrat[oa]"
        r"|abbonat[oa]|autenticat[oa]|online|offline|pront[oa]|membro)\b"
    ),
    (
        r"\b(?:je bent nu|vanaf nu ben je) (?:ingelogd|uitgelogd|aangemeld|afgemeld|verbonden"
        r"|geabonneerd|geregistreerd|ingeschreven|lid|online|offline|klaar)\b"
    ),
    (
        r"\b(?:jestes teraz|od teraz jestes) (?:za|wy)logowan[ya]|\bjestes teraz (?:polaczon[ya]"
        r"|zapisan[ya]|zarejestrowan[ya]|online|offline|czlonkiem)\b"
    ),
)
"""What programs tell of an account or a connection, in words that another persona begins with too.

They are taken out before the phrases are looked for; whatever stands beside them stays."""

ENGLISH: Final = (
    # overriding
    (
        rf"\b(?:ignore|disregard|forget|override|bypass|discard|neglect|dismiss|abandon|erase)\b{_GAP}"
        rf"\b(?:previous|prior|above|earlier|preceding|former|your|system|safety|existing|original"
        rf"|initial|foregoing|everything)\b{_GAP}\b(?:instructions?|prompts?|rules?|directives?"
        r"|guidelines?|guardrails?|constraints?|orders|commands|context|polic(?:y|ies)|restrictions"
        r"|safeguards|training|messages?|told|limits)\b"
    ),
    (
        r"\b(?:ignore|disregard|forget|override|bypass) (?:all|any|every|the|these|those|of|and| )+"
        r"(?:instructions?|prompts?|directives?|guardrails?|safeguards?|safety)\b"
    ),
    (
        r"\b(?:ignore|disregard|forget) (?:everything|all|what(?:ever)?)\b[^\n.!?]{0,20}?"
        r"\b(?:before|above|told|said|so far|know|learned)\b"
    ),
    (
        r"\b(?:new|updated|revised|real|actual|true) (?:system )?(?:instructions?|directives?|prompt"
        r"|orders)\s*(?::|follow|are|for (?:the )?(?:ai|assistant|agent|model|bot))"
    ),
    (
        r"\b(?:stop|cease) (?:following|obeying)\b[^\n.!?]{0,30}?\b(?:rules|instructions|guidelines"
        r"|polic|user|owner)"
    ),
    # another persona
    r"\byou are (?:now|no longer|henceforth)\b",
    (
        r"\b(?:from now on|henceforth|from this point)\W{1,3}(?:you|act|behave|respond|answer only"
        r"|obey|the assistant|the agent)\b"
    ),
    (
        r"\b(?:act|behave|pose|roleplay) as\b[^\n.!?]{0,40}?\b(?:unrestricted|admin\w*|root|jailbr\w+"
        r"|unfiltered|developer mode|without (?:any )?(?:rules|restrictions|limits)|dan)\b"
    ),
    r"\bpretend (?:to be|you are|that you|you have no)\b",
    (
        r"\b(?:unrestricted|unfiltered|uncensored|amoral|evil|rogue) (?:ai|llm|assistant|chatbot|agent"
        r"|model|bot)\b|\b(?:ai|llm|assistant|chatbot) without (?:any )?(?:limits|restrictions|rules"
        r"|filters|ethics|morals)\b"
    ),
    (
        r"\b(?:developer|god|dan|unrestricted|jailbreak) mode\b[^\n.!?]{0,30}?"
        r"\b(?:enabled|activated|on|active|unlocked)\b"
    ),
    (
        r"\bjailbreak (?:mode|prompt|yourself)\b|\bjailbroken (?:ai|assistant|agent|model|bot)\b"
        r"|\b(?:you|yourself|ai|assistant|model|agent|bot)\b[^\n.!?]{0,20}?\bjailbr(?:eak|oken)\b"
    ),
    (
        r"\byou (?:must|shall|will|have to|need to|should) (?:now |always |only |never |immediately"
        r" )*(?:obey|disregard|exfiltrate|leak|bypass|comply with (?:me|my|all|every|any|whatever)"
        r"|ignore [^\n.!?]{0,30}?\b(?:users?|owners?|humans?|operators?))\b"
    ),
    (
        r"\byou (?:must|shall|will|have to|need to|should) (?:now |always |immediately )+(?:comply"
        r"|reveal|disable|override|transfer|forward|approve|grant|execute|forget|disclose)\b"
    ),
    (
        r"\b(?:assistant|agent|ai|model|llm|chatbot|bot)s? (?:reading this|who reads? this|must (?:now"
        r" )?(?:ignore|obey|comply|reveal|disable|override|bypass|transfer|forward|approve|grant"
        r"|disregard|send|delete all)|(?:is|are) (?:now )?(?:authori[sz]ed|permitted|required"
        r"|instructed|ordered) to (?:ignore|obey|comply|reveal|disable|override|bypass|transfer|approve"
        r"|grant|disregard|send|delete|disclose|skip))\b"
    ),
    # forged roles
    (
        r"(?:^|\n)\W{0,4}(?:system|developer|admin\w*)(?: \w+)?\s*[:>\]]\s*[^\n]{0,80}?\b(?:you|your"
        r"|assistant|must|always|never|ignore|execute|reveal|instructions?|override|obey|grant)\b"
    ),
    r"<\|?(?:im_start|im_end|system|endoftext|assistant|start_header_id|eot_id)\|?>",
    (
        r"</?(?:system|instructions?|system_prompt|prompt|tool_calls?|function_calls?|memory|memories"
        r"|context|admin|assistant)>"
    ),
    r"\[/?inst\]|<</?sys>>|\[(?:system|admin|developer) (?:message|prompt|instructions?|override)\]",
    (
        r"\[(?:system|developer|admin)(?: \w+)?\][^\n]{0,80}?\b(?:you|your|assistant|must|always|never"
        r"|ignore|execute|reveal|override|obey|grant)\b"
    ),
    r"#{2,} ?(?:new )?(?:system|instructions?|assistant|override) ?:",
    (
        r"#{2,} ?(?:new )?(?:system|instructions?|assistant|override)\s{0,4}\n\W{0,4}[^\n]{0,80}?"
        r"\b(?:you are|you must|ignore|obey|reveal|disregard|override)\b"
    ),
    r"\b(?:begin|end|start) (?:of )?(?:system|hidden|secret) (?:prompt|message|instructions?)\b",
    (
        r"\b(?:attention|important|urgent|notice|dear|hey|hello|note to|message (?:to|for)"
        rf"|instructions? (?:to|for))\W{{1,4}}(?:the |all |any |every )?(?:{_MACHINE}\b"
        r"|(?:agent|model|bot)s?(?:\s?[:,!]| (?:reading|who|that reads?|you|please|do not|don't|never"
        r"|always|ignore|disregard)\b))"
    ),
    (
        r"\bthis (?:is|message is|comes|note is)\b[^\n.!?]{0,20}?\b(?:your|the) (?:(?:developer|creator"
        r"|administrator|operator|security team)s?\b|system(?: speaking|\s?[,:.!;])|owner speaking\b)"
    ),
    r"\b(?:admin\w*|system|security|emergency|root) override\b",
    # secrecy towards the user
    (
        r"\b(?:do not|don't|dont|never|without)\W+(?:ever )?(?:tell(?:ing)?|inform(?:ing)?"
        r"|mention(?:ing)?|reveal(?:ing)?|notify(?:ing)?|alert(?:ing)?|show(?:ing)?|disclos(?:e|ing)"
        r"|let(?:ting)?|warn(?:ing)?|ask(?:ing)?)\b[^\n.!?]{0,30}?\b(?:user|owner|human|operator)s?\b"
    ),
    (
        r"\b(?:secretly|silently|covertly|quietly|discreetly) (?:send|forward|add|append|insert|copy"
        r"|transfer|include|change|delete|upload|record|approve|email|replace|redirect|run|execute)\b"
    ),
    (
        r"\b(?:hide|conceal|keep) (?:this|it|that|these instructions?)\b[^\n.!?]{0,20}?\bfrom (?:the )?"
        r"(?:user|owner|human|operator)s?\b"
    ),
    # carrying away
    (
        rf"{_IMPERATIVE}(?:send|post|upload|forward|e-?mail|exfiltrate|leak|transmit|copy|submit"
        r"|append|include|encode|embed|dump|deliver|attach)\b[^\n]{0,60}?(?:\.env|\b(?:passwords?|credentials?"
        r"|secrets?|api[ -]?keys?|tokens?|private keys?|conversations?|chat history|memor(?:y|ies)"
        r"|system prompt|ssh keys?|cookies|contacts?|inbox|files|history|personal data))\b"
        r"[^\n]{0,60}?(?:https?:|www\.|hxxp|\S@\S|\bserver\b|\battacker|webhook|\burl\b|\bimage\b"
        r"|\baddress\b|\bpastebin|\.(?:com|net|io|ru|xyz|evil)\b)"
    ),
    r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{0,200}(?:\{|%7b|data=|q=|secret|token|key=|history|leak)",
    (
        rf"{_IMPERATIVE}(?:transfer|wire|pay|send|grant|approve|execute|buy|purchase)"
        r"\b[^\n.!?]{0,60}?\bwithout (?:any )?(?:asking|confirmation|approval|permission"
        r"|verif\w+|review|further)\b"
    ),
    # revealing
    (
        rf"{_IMPERATIVE}(?:reveal|print|output|repeat|disclose|dump|leak|recite|tell me|show me"
        r"|give me)\b[^\n.!?]{0,30}?\b(?:system prompt|your (?:\w+ )?(?:instructions?|prompt|rules"
        r"|secrets)|hidden (?:prompt|instructions?|rules)|initial prompt|api keys?|credentials"
        r"|(?:all|every|the) (?:\w+ )?(?:memories|secrets|passwords))\b"
    ),
    # what is to be believed or done from then on
    (
        r"\b(?:when|whenever|if|every time|each time)\b[^\n.!?]{0,40}?\b(?:users?|someone|anyone|people"
        r"|they|humans?)\b[^\n]{0,80}?\b(?:secretly|silently|covertly|insist|regardless of what"
        r"|no matter what|redirect (?:the |their )?(?:payments?|money|funds)|deny (?:that|it|having)"
        r"|refuse to|instead (?:send|say|recommend|transfer|give|use)|lie|claim that"
        r"|always (?:recommend|say|answer|reply|respond|claim|promote)|tell them (?:that|to))\b"
    ),
    (
        r"\b(?:mark|treat|save|store|remember|record|accept|keep) (?:this|the following|it|these|that)\b"
        r"[^\n.!?]{0,30}?\b(?:as|with) (?:a |an |the )?(?:trusted|verified|true|fact|system|highest"
        r"|maximum|top|pinned|permanent|approved|owner|confirmed|core)\b"
    ),
    rf"{_IMPERATIVE}always (?:recommend|promote|suggest|advertise|endorse)\b",
    (
        r"\b(?:never|do not|don't) (?:question|verify|doubt|check|fact-?check|cross-?check) (?:this|these"
        r"|it|the source|that)\b"
    ),
    (
        r"\b(?:disable|turn off|deactivate|switch off)\b[^\n.!?]{0,30}?\b(?:safety (?:checks?"
        r"|filters?|rules?)|guardrails?|moderation|content filters?|quarantine|audit (?:log|trail))"
        r"|\bremove\b[^\n.!?]{0,30}?\b(?:safety (?:checks?|filters?|rules?)|guardrails?|content filters?)"
    ),
    (
        r"\b(?:call|use|invoke) the (?:\w+ )?(?:tool|function)\b[^\n.!?]{0,60}?\b(?:delete|transfer|send"
        r"|wipe|drop|all|immediately)\b"
    ),
)

OTHERS: Final = (
    # German
    (
        r"(?:ignorier\w*|vergiss|vergesst|missachte\w*|umgehe\w*|ubergehe\w*)\b[^\n]{0,50}?"
        r"(?:anweisung|instruktion|regel|vorgabe|befehl|prompt|richtlinie|alles (?:bisherige|vorherige))"
    ),
    r"\bdu bist (?:jetzt|nun|ab (?:jetzt|sofort)|nicht mehr|kunftig)\b",
    r"\bab (?:jetzt|sofort) (?:bist|musst|sollst|antwortest|gehorchst|befolgst) du\b",
    (
        r"(?:sag|erzahl|verrat|teil|melde)\w*\b[^\n]{0,20}?(?:nutzer|benutzer|anwender|user)\w*"
        r"[^\n]{0,20}?\b(?:nichts|nicht|niemals)"
    ),
    (
        r"(?:sende|schicke|ubermittle|leite)\w*\b[^\n]{0,60}?(?:passw|zugangsdaten|schlussel|token"
        r"|gesprach|erinnerung)[^\n]{0,50}?(?:https?:|\S@\S|server|adresse)"
    ),
    r"\bohne (?:den |die )?(?:nutzer|benutzer|anwender)\w* zu (?:fragen|informieren)",
    # French
    (
        r"(?:ignore[zr]?|oublie[zr]?|neglige[zr]?|contourne[zr]?|ne tiens pas compte)\b[^\n]{0,50}?"
        r"(?:instruction|consigne|regle|directive|ordre|prompt)"
    ),
    r"\b(?:tu es|vous etes) (?:maintenant|desormais|a present|dorenavant)\b",
    (
        r"\bne (?:le |lui )?(?:dis|dites|revele|revelez|mentionne\w*|previens|prevenez|parle\w*)\b"
        r"[^\n]{0,30}?utilisateur"
    ),
    (
        r"(?:envoie|envoyez|transmets|transmettez|transfere\w*)\b[^\n]{0,60}?(?:mot\w* de passe"
        r"|identifiant|cle|jeton|conversation|souvenir)[^\n]{0,50}?(?:https?:|\S@\S|serveur|adresse)"
    ),
    # Spanish
    (
        r"(?:ignor[ae]\w*|olvid[ae]\w*|omit[ae]\w*|descart[ae]\w*)\b[^\n]{0,50}?"
        r"(?:instruccion|regla|orden(?:es)?\b|indicacion|directri|norma)"
    ),
    r"\b(?:ahora eres|a partir de ahora (?:eres|debes|responde|tu)|ya no eres)\b",
    (
        r"\bno (?:le |se lo |les )?(?:digas|diga|informes|reveles|cuentes|menciones|avises)\b"
        r"[^\n]{0,30}?usuario"
    ),
    (
        r"(?:envia|manda|reenvia)\w*\b[^\n]{0,60}?(?:contrasena|clave|credencial|token|conversacion)"
        r"[^\n]{0,50}?(?:https?:|\S@\S|servidor|direccion)"
    ),
    # Italian
    r"(?:ignora\w*|dimentica\w*|trascura\w*)\b[^\n]{0,50}?(?:istruzion|regol|direttiv|ordin[ei]\b)",
    r"\b(?:ora sei|adesso sei|d'ora in poi (?:sei|devi|rispondi)|non sei piu)\b",
    r"\bnon (?:dire|dirlo|rivelare|informare|menzionare|avvisare)\b[^\n]{0,30}?utente",
    # Portuguese
    (
        r"(?:ignore|ignora|esqueca|esquece|desconsidere|desconsidera)\b[^\n]{0,50}?"
        r"(?:instruc|regra|diretriz|orden|comando)"
    ),
    r"\b(?:agora voce e|a partir de agora,? (?:voce|responda|aja)|voce agora e)\b",
    r"\bnao (?:conte|diga|revele|informe|mencione|avise)\b[^\n]{0,30}?usuario",
    # Dutch, Swedish, Polish, Turkish, Vietnamese, Indonesian
    r"\b(?:negeer|vergeet)\b[^\n]{0,50}?(?:instructie|regel|opdracht|aanwijzing|richtlijn)",
    r"\b(?:je bent nu|vanaf nu ben je)\b",
    r"\b(?:ignorera|glom|bortse fran)\b[^\n]{0,50}?(?:instruktion|regler|anvisning|direktiv)",
    r"\b(?:zignoruj|ignoruj|zapomnij|pomin)\b[^\n]{0,50}?(?:instrukcj|polecen|zasad|regul|wytyczn)",
    r"\b(?:jestes teraz|od teraz jestes)\b",
    (
        r"(?:onceki|tum|yukarıdaki|butun)\b[^\n]{0,40}?(?:talimat|kural|yonerge|komut)\w*[^\n]{0,30}?"
        r"(?:yok say|gormezden gel|unut|dikkate alma)"
    ),
    r"(?:bo qua|quen|phot lo)\b[^\n]{0,40}?(?:huong dan|chi thi|quy tac|lenh)",
    r"\b(?:abaikan|lupakan)\b[^\n]{0,40}?(?:instruksi|perintah|aturan|arahan)",
    # Russian and Ukrainian
    (
        r"(?:игнорируи\w*|забудь\w*|пренебреги\w*|не учитываи\w*|отмени\w*|ігноруи\w*|ігноруй\w*)"
        r"[^\n]{0,50}?(?:инструкц|правил|указан|команд|промпт|інструкц|вказівк)"
    ),
    r"(?:теперь ты|ты теперь|отныне ты|с этого момента ты)",
    r"не (?:говори|сообщаи|рассказываи|упоминаи|показываи)\w*[^\n]{0,30}?пользовател",
    (
        r"(?:отправ|перешли|передаи)\w*[^\n]{0,60}?(?:парол|ключ|токен|переписк)[^\n]{0,50}?"
        r"(?:https?:|\S@\S|сервер|адрес)"
    ),
    # Chinese
    (
        r"(?:忽略|无视|忘记|忽視|無視|忘記|忘掉|不要理会|不用理会|跳过)[^\n。]{0,16}?"
        r"(?:指令|指示|规则|規則|提示|设定|設定|命令|限制)"
    ),
    r"(?:你现在是|你現在是|从现在开始,?你|從現在開始,?你|从现在起,?你)",
    r"(?:不要|别|請勿|请勿)[^\n。]{0,4}?(?:告诉|告知|通知|讓|让|告訴|提醒)[^\n。]{0,6}?(?:用户|用戶|使用者)",
    r"(?:把|将|將)[^\n。]{0,16}?(?:密码|密碼|密钥|令牌|对话|對話|记忆)[^\n。]{0,16}?(?:发送|發送|上传|上傳|发到|转发)",
    # Japanese
    r"(?:指示|命令|ルール|プロンプト|規則|設定|制約)[^\n。]{0,10}?(?:無視|忘れ|破棄|無効)",
    r"(?:あなたは今から|今からあなたは|これからあなたは|あなたはもう)",
    r"(?:ユーザー|ユーザ|利用者)(?:に|には|へ)[^\n。]{0,12}?(?:言わ|伝え|知らせ|教え|話さ)(?:ない|ず|るな)",
    # Korean
    r"(?:지시|명령|규칙|지침|프롬프트)[^\n]{0,10}?(?:무시|잊어|잊고|삭제)",
    r"(?:이제|지금)부터 (?:너|당신)(?:는|은)",
    r"사용자(?:에게|한테)[^\n]{0,14}?(?:말하지|알리지|보여주지)",
    # Arabic, Hebrew, Hindi
    r"(?:تجاهل|انس|تجاوز)[^\n]{0,30}?(?:التعليمات|الاوامر|الأوامر|القواعد|التوجيهات|تعليمات)",
    r"(?:انت الان|أنت الآن|من الان فصاعد|من الآن فصاعد)",
    r"لا تخبر[^\n]{0,16}?(?:المستخدم|مستخدم)",
    r"(?:התעלם|התעלמו|שכח)[^\n]{0,30}?(?:ההוראות|הוראות|הכללים|הנחיות)",
    r"(?:निर्देश|नियम|आदेश)[^\n]{0,20}?(?:अनदेखा|भूल|नज़रअंदाज|नजरअंदाज|उपेक्षा)",
)
