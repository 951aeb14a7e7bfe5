"""Words by which a reviewer shifts emphasis, hedges or explains, and words that carry no content."""

from __future__ import annotations

import re

_EMPHASIS = """
strong stronger strongest weak weaker modest moderate slight slightly significant significantly substantial
substantially considerable considerably notable notably remarkable remarkably dramatic dramatically sharp
sharply steep steeply marked markedly major minor small large big huge massive tiny excellent outstanding great
good solid decent fair poor bad disappointing encouraging worrying alarming impressive robust healthy fragile
emerging growing serious severe mild clear clearly obvious obviously merely only just even already still however
nevertheless although though while but yet despite notwithstanding importantly interestingly unfortunately
fortunately sadly happily overall broadly largely mainly mostly chiefly primarily partly somewhat rather quite
very extremely highly fairly relatively roughly nearly almost barely hardly scarcely too so really truly key
crucial critical vital central important essential meaningful material immaterial negligible marginal marginally
gradual gradually rapid rapidly quick quickly slow slowly steady steadily sudden suddenly temporary permanent
lasting sustained one-off exceptional unprecedented record best worst first
"""
_HEDGES = """
may might could would should can must will shall probably possibly perhaps likely unlikely apparently presumably
seemingly appears appear appeared seems seem seemed suggests suggest suggested indicates indicate indicated
proves prove proved shows show showed implies imply implied confirms confirm confirmed demonstrates demonstrate
believe think expect expects expected estimate estimated assume assumed potentially tentatively reportedly
allegedly certainly surely definitely undoubtedly
"""
EMPHASIS = frozenset(_EMPHASIS.split()) | frozenset(_HEDGES.split())

_STOP = """
a an the this that these those of to in on at by for from with and or as is are was were be been being has have
had it its we our us they their he she his her you your there here which who whom what when where than then also
into over under up down out off about not no nor do does did so if
"""
STOP = frozenset(_STOP.split())

#: Explaining, judging, advising: no anchor can check these, so who adds or drops them changes the substance.
EXPLAINS = re.compile(
    r"\b(?:because|due\s+to|owing\s+to|driven\s+by|thanks\s+to|as\s+a\s+result|reflect(?:s|ed|ing)?|caused\s+by|explained\s+by|"
    r"which\s+means|means\s+that|this\s+means|in\s+our\s+view|we\s+(?:believe|think|recommend|expect|suggest|advise)|"
    r"recommend(?:s|ed|ation)?|should\s+(?:not\s+)?be|too\s+early|above\s+all|in\s+particular|notably|however|although|"
    r"despite|rather\s+than|not\s+yet|one-off|seasonal(?:ity)?|unlikely|risk(?:s)?|suggests?|indicates?|trend|"
    r"compared\s+with\s+(?:peers|competitors)|for\s+the\s+first\s+time|on\s+paper|in\s+practice|whether)\b",
    re.IGNORECASE,
)
_ORDINALS = "first second third fourth"
_PERIODS = """
january february march april may june july august september october november december jan feb mar apr jun jul
aug sep sept oct nov dec spring summer autumn winter monday tuesday wednesday thursday friday saturday sunday fy
fiscal ytd
"""
PERIOD_WORDS = frozenset(_PERIODS.split())
ORDINAL_PERIOD = re.compile(
    rf"\b(?:{_ORDINALS.replace(' ', '|')})\s+(?:quarter|half|month|week|trimester)\b", re.IGNORECASE
)
PERIOD_CODE = re.compile(r"[qh][1-4]", re.IGNORECASE)
YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d(?:/\d\d)?")
