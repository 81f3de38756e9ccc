// SPDX-License-Identifier: Apache-2.0

/// Words of three letters or more that say little about who uses them: articles, pronouns, prepositions, auxiliary verbs.
enum StopWords {
  static let all = Set(
    [english, german, romance, others].joined(separator: " ").split(separator: " ").map(String.init))

  private static let english = """
    about account accounts after all also always and any are aren around because been before being but can com could \
    did didn does doesn doing don each else etc ever every few for from get got had has hasn have haven having her \
    here hers him his how http https into isn its just let like lot lots made make makes many may might mine more \
    most much must mostly never nor not now off often one only other others our ours out over own per really said \
    same say see she should shouldn since some still such sure than that the their theirs them then there these they \
    thing things this those though through too try trying two under until upon use used very via want was wasn way \
    well were weren what when where which while who whom whose why will with within without won would wouldn www yes \
    yet you your yours
    """

  private static let german = """
    aber alle allem allen aller alles als also andere anderen auch auf aus bei beim bin bis bist dabei damit dann \
    das dass dein dem den denn der des dich die dies diese diesem diesen dieser dieses dir doch dort durch ein eine \
    einem einen einer eines einfach euch euer für gern gerne ganz gegen geht hab habe haben hat hatte hier ich ihm \
    ihn ihnen ihr ihre ihrem ihren immer ist jede jedem jeden jeder kann kein keine mal man mehr mein meine meinem \
    meinen meiner mich mir mit nach nicht nichts noch nun nur oder ohne schon sehr sein seine seit selbst sich sie \
    sind soll sonst über und uns unser unter viel viele vom von vor wann war was weg wenn wer wie wieder will wir \
    wird wurde zum zur zwar zwischen
    """

  /// Of French, Spanish, Portuguese, Italian and Catalan.
  private static let romance = """
    ainsi alors aos aqui aquí así assim até aux avec avoir bien bueno cada cela celle ces cet cette chez che como \
    comme com con cosas cual cuando dal dalla dans das dei del della delle depuis des desde dos donde elas ele eles \
    elle elles els ella ellos entre era eres est esta está están este esto estou été être eux fait foi fue gli gran \
    hace hacia hasta hay ici isso isto las les leur leurs lhe los lui mais mas mes meu mia mie minha mio mis moi mon \
    mucho muito muy nada nel nella non nos nossa nosso notre nous num numa nunca onde otra otro para parce pas pela \
    pelo però pero peu plus poco por porque pour pourquoi può puis qual quand quando que quel quem qui quien quoi \
    sans são seja sem sempre ser sera sia siempre sin sino sobre sois sol somos son sono sont soy sua suas sue sui \
    suis sul sulla sur también também tan tem tes todo todos toi ton tous tout toute toutes très tua tudo tus tutti \
    tutto uma una unas uno unos une usted vous você voy vos votre
    """

  /// Of Dutch, the Scandinavian languages, Polish and Turkish.
  private static let others = """
    aan als bir bij beim ben bez czy dat deze dit dla door een ett för fra från gaan geen gibi hab har het hoe ikke \
    için ich inte ile jag jako jak jeg jest jestem kan lub med meg meer met mig mij mijn min mitt mit moje naar nie \
    niet nog och også ook onder over pod przez som sie się tak też tot uit van var veel vom voor wat zijn zoals
    """
}
